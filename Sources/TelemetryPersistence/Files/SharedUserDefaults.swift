import Foundation
import TelemetryModels

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

    /// Runs the body on a fresh copy, while no other store changes defaults, and writes what it changed.
    func change<Result>(_ body: (UserDefaults) -> Result) -> Result {
        var result: Result?
        func refreshAndRun() {
            refresh()
            result = body(defaults)
            refresh()
        }
        do {
            try FileLock.holding(Self.lockPath) { refreshAndRun() }
        } catch {
            // Better a change that another process may overwrite than none.
            diagnostics?(
                TelemetryDiagnostic(kind: .storageFailed, message: "user defaults are changed without a lock: \(error)"))
            refreshAndRun()
        }
        return result ?? body(defaults)
    }

    /// Per user: user defaults are, and the directory may be everybody's.
    private static let lockPath = FileManager.default.temporaryDirectory
        .appending(path: "live-telemetry-defaults-\(geteuid()).lock").path(percentEncoded: false)
}
