import Foundation
import TelemetryModels
import TelemetryPersistence

/// The platform's default stores and directories of a service.
struct PlatformDefaults {
    /// The directory of this instance; nil if it uses the executable's directory or user defaults.
    let instance: InstanceDirectory?
    private let directory: URL
    private let diagnostics: TelemetryDiagnosticsHandler?

    /// - Parameters:
    ///   - store: The store's identifier; nil if it has none.
    ///   - sharesSettings: Whether the host passed a settings store. Processes that share one are one client and share the other
    ///     stores too, unless the host sets `instance`.
    init(_ configuration: TelemetryLifecycleService.Configuration, store: String?, sharesSettings: Bool) {
        let root = configuration.stateDirectory ?? Self.executableDirectory
        #if canImport(Darwin)
        // On these systems an app runs once and has its own user defaults.
        let isInstance = configuration.instance != nil
        #else
        let isInstance = configuration.instance != nil || !sharesSettings
        #endif
        instance = isInstance ? InstanceDirectory(in: root, store: store, instance: configuration.instance) : nil
        directory = instance?.url ?? root
        diagnostics = configuration.diagnostics
    }

    func settingsStore() -> any TelemetrySettingsStoring {
        #if canImport(Darwin)
        if instance == nil { return UserDefaultsTelemetrySettingsStore() }
        #endif
        return FileTelemetrySettingsStore(directory: directory, diagnostics: diagnostics)
    }

    func pendingWorkStore() -> any TelemetryPendingWorkStoring {
        #if canImport(Darwin)
        if instance == nil { return UserDefaultsTelemetryPendingWorkStore(diagnostics: diagnostics) }
        #endif
        return FileTelemetryPendingWorkStore(directory: directory, diagnostics: diagnostics)
    }

    func scenarioStore() -> any TelemetryScenarioStoring {
        #if canImport(Darwin)
        if instance == nil { return UserDefaultsTelemetryScenarioStore() }
        #endif
        return FileTelemetryScenarioStore(directory: directory, diagnostics: diagnostics)
    }

    /// The directory of events that wait for delivery.
    var spoolDirectory: URL { directory.appendingPathComponent("spool", isDirectory: true) }

    /// This executable's own directory. The first write creates it.
    private static var executableDirectory: URL {
        #if os(tvOS)
        // An app on this system may write only to its caches, which the system may delete.
        let base = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        #elseif canImport(Darwin)
        let base = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        #else
        let base: URL? = nil
        #endif
        return executableDirectory(
            base: base, environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory(),
            executable: ProcessInfo.processInfo.processName)
    }

    /// `live-telemetry/<executable>` in the base directory; if there is none, in `$XDG_STATE_HOME` if that is an absolute path;
    /// otherwise in `.local/state` in the home directory.
    static func executableDirectory(base: URL?, environment: [String: String], home: String, executable: String) -> URL {
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
        return (base ?? state ?? URL(fileURLWithPath: home).appendingPathComponent(".local/state", isDirectory: true))
            .appendingPathComponent("live-telemetry", isDirectory: true)
            .appendingPathComponent(EncodedName.encode(executable), isDirectory: true)
    }
}
