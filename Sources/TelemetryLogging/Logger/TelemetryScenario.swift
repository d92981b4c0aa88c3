public import Synchronization
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
    public var isEnabled: Bool { cell.pointer.pointee.levels.load(ordering: .relaxed) != 0 }

    /// Logs an event under the scenario; nothing is evaluated where it is off.
    @inlinable
    public func log(
        _ name: String, level: TelemetryLogLevel = .info, property1: @autoclosure () -> String? = nil,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        guard cell.pointer.pointee.levels.load(ordering: .relaxed) & ScenarioGate.bit(of: level) != 0 else { return }
        capture.record(name: name, scenario: self.name, level: level, property1: property1(), attributes: attributes())
    }
}

extension TelemetryLogger {
    /// A handle for a scenario that is logged to often.
    public nonisolated func scenario(_ name: String) -> TelemetryScenario {
        TelemetryScenario(cell: gate.cell(for: name), gate: gate, capture: capture, name: name)
    }
}
