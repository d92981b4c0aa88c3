public import Synchronization
public import TelemetryModels

/// Inlinable versions of the protocol's methods: for a caller that uses the concrete type, an event that is not recorded costs
/// only the gate's check.
extension TelemetryLogger {
    /// Logs an event outside all scenarios, at level `.info`.
    @inlinable
    public nonisolated func logEvent(name: String, property1: @autoclosure () -> String? = nil) {
        guard gate.openings.load(ordering: .relaxed) & ScenarioGate.unscoped != 0 else { return }
        capture.record(Admission(), name: name, scenario: nil, level: .info, property1: property1(), attributes: [:])
    }

    /// Logs an event under a scenario; arguments are not evaluated if the scenario is off or unknown.
    @inlinable
    public nonisolated func logEvent(
        name: String, scenario: String, level: TelemetryLogLevel = .info, property1: @autoclosure () -> String? = nil,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        guard gate.openings.load(ordering: .relaxed) & ScenarioGate.scoped != 0,
            let admission = gate.admit(scenario, level: level)
        else { return }
        capture.record(
            admission, name: name, scenario: scenario, level: level, property1: property1(), attributes: attributes())
    }

    /// Logs an event under a scenario or, with nil, outside all scenarios.
    @inlinable
    public nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {
        let openings = gate.openings.load(ordering: .relaxed)
        var admission = Admission()
        if let scenario {
            guard openings & ScenarioGate.scoped != 0, let admitted = gate.admit(scenario, level: level) else { return }
            admission = admitted
        } else {
            guard openings & ScenarioGate.unscoped != 0 else { return }
        }
        capture.record(
            admission, name: name, scenario: scenario, level: level, property1: property1(), attributes: attributes())
    }
}

/// The names of the events that the logger itself logs.
extension TelemetryLogger {
    /// The name of the event that reports losses; its attributes are counts by cause.
    public static let droppedEventName = "telemetry.dropped"
    /// The name of the event that reports how many events of a scenario were not recorded because its budget was used up. Its
    /// attributes are `scenario`, `suppressed`, and `window` in seconds.
    public static let budgetEventName = "telemetry.budget"
    /// The name of the event that reports an earlier session whose process ended without ``shutdown()``. Its attributes are `session`, `end`
    /// (`signal`, `outOfMemory`, `killed`, `restart`, `unknown`), `lastActive`, `appVersion`, and with a signal `signal` and perhaps `backtrace`,
    /// otherwise perhaps `outOfMemoryKills`.
    public static let sessionEventName = "telemetry.session"
    /// The name of the event that adds what MetricKit reports about the crash of such a session. Its attributes are `session`, `appVersion`,
    /// `backtrace`, and perhaps `signal`, `terminationReason`, `exceptionType` and `exceptionCode`.
    public static let diagnosticEventName = "telemetry.diagnostic"
    /// The name of the event that reports what a rule's trigger did. Its attributes are `rule`, `scenario`, `action` (`capture` or
    /// `enable`), `events`, which is how many events the trigger counted, and with `capture` `captured`, which is how many were sent.
    public static let triggerEventName = "telemetry.trigger"
}
