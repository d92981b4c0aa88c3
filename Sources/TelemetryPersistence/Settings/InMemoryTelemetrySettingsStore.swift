public import TelemetryModels

/// Settings that end with the store, for tests and previews.
public actor InMemoryTelemetrySettingsStore: TelemetrySettingsStoring {
    private var settings = TelemetrySettings.defaults

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

    @discardableResult
    public func reset() async -> TelemetrySettings {
        settings = .defaults
        return settings
    }
}
