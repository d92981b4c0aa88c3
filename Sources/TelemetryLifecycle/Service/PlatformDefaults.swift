import Foundation
import TelemetryModels
import TelemetryPersistence

/// What a service uses where the host names nothing else.
struct PlatformDefaults {
    /// Where this instance keeps what it stores; nil where that is the executable's directory or its user defaults.
    let instance: InstanceDirectory?
    private let directory: URL
    private let diagnostics: TelemetryDiagnosticsHandler?

    /// - Parameters:
    ///   - store: The store's identifier; nil where it has none.
    ///   - sharesSettings: Whether the host named a settings store. Processes that share one are one client; what else they keep
    ///     they share as well, unless the host names the instance.
    init(_ configuration: TelemetryLifecycleService.Configuration, store: String?, sharesSettings: Bool) {
        let root = configuration.stateDirectory ?? Self.executableDirectory
        #if canImport(Darwin)
        // An app runs once there, and its user defaults are its own.
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

    /// - Parameter settingsStore: The store of the settings, which keeps the pending work as well where it can.
    func pendingWorkStore(beside settingsStore: any TelemetrySettingsStoring) -> any TelemetryPendingWorkStoring {
        if let store = settingsStore as? any TelemetryPendingWorkStoring { return store }
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

    /// Where events wait for their delivery.
    var spoolDirectory: URL { directory.appendingPathComponent("spool", isDirectory: true) }

    /// A directory of this executable's own. It is made by whoever writes to it first.
    private static var executableDirectory: URL {
        #if os(tvOS)
        // An app there may write to its caches only, which the system may empty.
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

    /// `live-telemetry/<executable>` in the base directory; without one, in `$XDG_STATE_HOME` where that is an absolute path,
    /// otherwise in `.local/state` of the home directory.
    static func executableDirectory(base: URL?, environment: [String: String], home: String, executable: String) -> URL {
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
        return (base ?? state ?? URL(fileURLWithPath: home).appendingPathComponent(".local/state", isDirectory: true))
            .appendingPathComponent("live-telemetry", isDirectory: true)
            .appendingPathComponent(EncodedName.encode(executable), isDirectory: true)
    }
}
