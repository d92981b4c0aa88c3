public import TelemetryModels

/// Conveniences that forward to the protocol's requirement without evaluating their arguments.
extension TelemetryLogging {
    /// Logs an event outside all scenarios, at level `.info`.
    @inlinable
    public nonisolated func logEvent(name: String, property1: @autoclosure () -> String? = nil) {
        logEvent(name: name, scenario: nil, level: .info, property1: property1(), attributes: [:])
    }

    /// Logs an event under a scenario.
    @inlinable
    public nonisolated func logEvent(
        name: String, scenario: String, level: TelemetryLogLevel = .info, property1: @autoclosure () -> String? = nil,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        // An optional selects the requirement instead of this method.
        let optionalScenario: String? = scenario
        logEvent(
            name: name, scenario: optionalScenario, level: level, property1: property1(), attributes: attributes())
    }
}
