public import TelemetryModels

/// A logger that records nothing and evaluates nothing, for previews and for hosts without telemetry.
public actor NoopTelemetryLogger: TelemetryLogging {
    public nonisolated let currentSessionId = EventIdentifier.randomPrefix()

    /// Creates a logger that records nothing.
    public init() {}

    public nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {}

    public func setClientIdentifier(_ clientId: String?) {}
    public func updateScenarioStates(_ states: [String: Bool]) {}
    public func activate(enabled: Bool) {}
    public func setEnabled(_ enabled: Bool) {}
    public func flush() {}
    public func shutdown() {}
}
