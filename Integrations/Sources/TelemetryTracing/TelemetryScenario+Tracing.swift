public import TelemetryLogging
public import TelemetryModels

extension TelemetryScenario {
    /// Logs an event with the identifiers in the current task's service context; nothing is evaluated or read if the scenario is
    /// off and not kept by the flight recorder.
    @inlinable
    public func log(
        _ name: String, level: TelemetryLogLevel = .info, property1: @autoclosure () -> String? = nil,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:], tracedBy source: TelemetryTraceSource
    ) {
        log(name, level: level, property1: property1(), attributes: source.attributes(adding: attributes()))
    }
}

extension TelemetryLogging {
    /// Logs an event with the identifiers in the current task's service context; nothing is evaluated or read if the scenario is
    /// off and not kept by the flight recorder.
    public nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel = .info, property1: @autoclosure () -> String? = nil,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:], tracedBy source: TelemetryTraceSource
    ) {
        logEvent(
            name: name, scenario: scenario, level: level, property1: property1(),
            attributes: source.attributes(adding: attributes()))
    }
}
