import Foundation
import TelemetryModels
import TelemetryPersistence

/// What a service uses where the host names nothing else.
enum PlatformDefaults {
    static func settingsStore(_ diagnostics: TelemetryDiagnosticsHandler?) -> any TelemetrySettingsStoring {
        #if canImport(Darwin)
        UserDefaultsTelemetrySettingsStore()
        #else
        FileTelemetrySettingsStore(directory: stateDirectory, diagnostics: diagnostics)
        #endif
    }

    /// - Parameter settingsStore: The store of the settings, which keeps the pending work as well where it can.
    static func pendingWorkStore(
        beside settingsStore: any TelemetrySettingsStoring, _ diagnostics: TelemetryDiagnosticsHandler?
    ) -> any TelemetryPendingWorkStoring {
        if let store = settingsStore as? any TelemetryPendingWorkStoring { return store }
        #if canImport(Darwin)
        return UserDefaultsTelemetryPendingWorkStore(diagnostics: diagnostics)
        #else
        return FileTelemetryPendingWorkStore(directory: stateDirectory, diagnostics: diagnostics)
        #endif
    }

    static func scenarioStore(_ diagnostics: TelemetryDiagnosticsHandler?) -> any TelemetryScenarioStoring {
        #if canImport(Darwin)
        UserDefaultsTelemetryScenarioStore()
        #else
        FileTelemetryScenarioStore(directory: stateDirectory, diagnostics: diagnostics)
        #endif
    }

    /// Where events wait for their delivery.
    static var spoolDirectory: URL { stateDirectory.appendingPathComponent("spool", isDirectory: true) }

    /// A directory of this executable's own. It is made by whoever writes to it first.
    private static var stateDirectory: URL {
        #if os(tvOS)
        // An app there may write to its caches only, which the system may empty.
        let base = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        #elseif canImport(Darwin)
        let base = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        #else
        let base: URL? = nil
        #endif
        return stateDirectory(
            base: base, environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory(),
            executable: ProcessInfo.processInfo.processName)
    }

    /// `live-telemetry/<executable>` in the base directory; without one, in `$XDG_STATE_HOME` where that is an absolute path,
    /// otherwise in `.local/state` of the home directory.
    static func stateDirectory(base: URL?, environment: [String: String], home: String, executable: String) -> URL {
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
        return (base ?? state ?? URL(fileURLWithPath: home).appendingPathComponent(".local/state", isDirectory: true))
            .appendingPathComponent("live-telemetry", isDirectory: true)
            .appendingPathComponent(EncodedName.encode(executable), isDirectory: true)
    }
}
