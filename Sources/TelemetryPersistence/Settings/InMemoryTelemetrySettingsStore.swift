public import TelemetryModels

/// Settings that end with the store, for tests and previews.
public actor InMemoryTelemetrySettingsStore: TelemetryOptOutRecording {
    private var settings = TelemetrySettings.defaults

    /// Creates a store that holds the default settings.
    public init() {}

    public func load() async -> TelemetrySettings { settings }

    @discardableResult
    public func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        self.settings = settings
        return settings
    }

    @discardableResult
    public func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        transform(&settings)
        return settings
    }

    package func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool {
        transform(&settings)
        return true
    }

    @discardableResult
    public func reset() async -> TelemetrySettings {
        settings = .defaults
        return settings
    }
}
