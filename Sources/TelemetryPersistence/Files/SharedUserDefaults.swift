import Foundation
import TelemetryModels
import TelemetrySystem

/// User defaults that processes share.
///
/// On Apple's systems a daemon keeps every process up to date. Elsewhere each process has its own copy, which `synchronize()`
/// reads and writes. There a change is made under a lock, on a fresh copy, and written at once.
struct SharedUserDefaults {
    let defaults: UserDefaults
    let diagnostics: TelemetryDiagnosticsHandler?

    /// The suite's defaults; the standard ones for nil or an invalid suite name.
    static func suite(_ name: String?) -> UserDefaults { UserDefaults(suiteName: name) ?? .standard }

    /// Reads the changes of other processes.
    func refresh() {
        #if !canImport(Darwin)
        defaults.synchronize()
        #endif
    }

    /// Waits for the lock. The result is an error if it cannot be acquired; the change is made anyway, although another process
    /// may overwrite it.
    nonisolated(nonsending) static func lock() async -> Result<FileLock, FileError> {
        do throws(FileError) { return .success(try await FileLock.acquire(lockPath, system: FileSystem())) } catch {
            return .failure(error)
        }
    }

    /// Runs the body on a fresh copy and writes its changes.
    func change<Value>(_ lock: Result<FileLock, FileError>, _ body: (UserDefaults) -> Value) -> Value {
        if case .failure(let error) = lock {
            diagnostics?(
                TelemetryDiagnostic(kind: .storageFailed, message: "user defaults are changed without a lock: \(error)"))
        }
        return withExtendedLifetime(lock) {
            refresh()
            defer { refresh() }
            return body(defaults)
        }
    }

    /// One per user, because user defaults are per user and the directory may be shared by all users.
    private static let lockPath = FileManager.default.temporaryDirectory
        .appending(path: "live-telemetry-defaults-\(geteuid()).lock").path(percentEncoded: false)
}
