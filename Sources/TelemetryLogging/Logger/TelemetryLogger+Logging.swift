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
