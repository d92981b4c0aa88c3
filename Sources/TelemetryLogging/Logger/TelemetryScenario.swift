public import TelemetryModels

/// A scenario of a logger, looked up once: small, copied freely, and asked at the cost of one load.
///
/// It follows the scenario's state for as long as it lives, also while the scenario is unknown, and keeps its logger's buffers
/// alive, not the logger.
public struct TelemetryScenario: Sendable {
    @usableFromInline let cell: ScenarioCellAddress
    @usableFromInline let gate: ScenarioGate
    @usableFromInline let capture: EventCapture
    /// The scenario's name, as it was asked for.
    public let name: String

    /// Whether events of the scenario are recorded now.
    @inlinable
    public var isEnabled: Bool { gate.admits(cell, bits: ScenarioGate.allLevels) }

    /// Whether events of the scenario and this level are recorded now.
    @inlinable
    public func isEnabled(at level: TelemetryLogLevel) -> Bool { gate.admits(cell, bits: ScenarioGate.bit(of: level)) }

    /// Logs an event under the scenario; nothing is evaluated where it is off.
    @inlinable
    public func log(
        _ name: String, level: TelemetryLogLevel = .info, property1: @autoclosure () -> String? = nil,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        guard gate.admits(cell, bits: ScenarioGate.bit(of: level)) else { return }
        capture.record(name: name, scenario: self.name, level: level, property1: property1(), attributes: attributes())
    }
}

extension TelemetryLogger {
    /// A handle for a scenario that is logged to often.
    public nonisolated func scenario(_ name: String) -> TelemetryScenario {
        TelemetryScenario(cell: gate.cell(for: name), gate: gate, capture: capture, name: name)
    }
}
