public import Synchronization
public import TelemetryModels

/// The calls. They stand here beside the protocol's extensions, so that a caller that knows the type pays for nothing but the
/// gate where an event is not wanted.
extension TelemetryLogger {
    /// Logs an event outside all scenarios, at level `.info`.
    @inlinable
    public nonisolated func logEvent(name: String, property1: @autoclosure () -> String? = nil) {
        guard gate.openings.load(ordering: .relaxed) & ScenarioGate.unscoped != 0 else { return }
        capture.record(name: name, scenario: nil, level: .info, property1: property1(), attributes: [:])
    }

    /// Logs an event under a scenario; nothing is evaluated where the scenario is off or unknown.
    @inlinable
    public nonisolated func logEvent(
        name: String, scenario: String, level: TelemetryLogLevel = .info, property1: @autoclosure () -> String? = nil,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        guard gate.openings.load(ordering: .relaxed) & ScenarioGate.scoped != 0, gate.admits(scenario, level: level) else {
            return
        }
        capture.record(name: name, scenario: scenario, level: level, property1: property1(), attributes: attributes())
    }

    /// Logs an event under a scenario or, with nil, outside all.
    @inlinable
    public nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {
        let openings = gate.openings.load(ordering: .relaxed)
        if let scenario {
            guard openings & ScenarioGate.scoped != 0, gate.admits(scenario, level: level) else { return }
        } else {
            guard openings & ScenarioGate.unscoped != 0 else { return }
        }
        capture.record(name: name, scenario: scenario, level: level, property1: property1(), attributes: attributes())
    }
}
