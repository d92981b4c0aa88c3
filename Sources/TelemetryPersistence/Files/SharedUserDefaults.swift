import Foundation
import TelemetryModels
import TelemetryStorage

/// User defaults as processes share them.
///
/// On Apple's systems a daemon keeps every process up to date. Elsewhere each has a copy of its own, which `synchronize()` reads
/// and writes; there a change is made under a lock, from a fresh copy, and written at once.
struct SharedUserDefaults {
    let defaults: UserDefaults
    let diagnostics: TelemetryDiagnosticsHandler?

    /// The suite's defaults; the standard ones for nil, or a name that no suite can have.
    static func suite(_ name: String?) -> UserDefaults { UserDefaults(suiteName: name) ?? .standard }

    /// Sees what other processes have written.
    func refresh() {
        #if !canImport(Darwin)
        defaults.synchronize()
        #endif
    }

    /// Waits until no other store changes defaults. Without the lock the result says why: better a change that another process
    /// may overwrite than none.
    nonisolated(nonsending) static func lock() async -> Result<FileLock, FileError> {
        do throws(FileError) { return .success(try await FileLock.acquire(lockPath, system: FileSystem())) } catch {
            return .failure(error)
        }
    }

    /// Runs the body on a fresh copy, and writes what it changed.
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

    /// Per user: user defaults are, and the directory may be everybody's.
    private static let lockPath = FileManager.default.temporaryDirectory
        .appending(path: "live-telemetry-defaults-\(geteuid()).lock").path(percentEncoded: false)
}
