public import Synchronization
public import TelemetryModels

/// A handle for a scenario of a logger, looked up once. A check costs one atomic load.
///
/// It always reflects the scenario's current state, even if the scenario is unknown. It keeps the logger's buffers alive, not the
/// logger.
public struct TelemetryScenario: Sendable {
    /// A cell of `gate`, which keeps it.
    @usableFromInline let cell: SharedMemory<ScenarioCell>
    @usableFromInline let gate: ScenarioGate
    @usableFromInline let capture: EventCapture
    /// The scenario's name, as it was passed to ``TelemetryLogger/scenario(_:)``.
    public let name: String

    /// Whether the scenario is on now in the current task's ``/TelemetryModels/TelemetryContext``, or the flight recorder keeps its
    /// events. It stays on while its budget is used up, because events that are not recorded are counted.
    @inlinable
    public var isEnabled: Bool { gate.isRecorded(cell, bits: ScenarioGate.allLevels) }

    /// Whether the scenario is off at each level and in each context, and the flight recorder keeps none of its events.
    @_spi(Tooling) @inlinable
    public var isOff: Bool {
        // The cell is one of the gate's, here and below.
        unsafe cell.start.pointee.levels.load(ordering: .relaxed) == 0
    }

    /// Whether the scenario is on only in some contexts, and values that the current task's ``/TelemetryModels/TelemetryContext`` lacks
    /// could decide whether it is on in this one. A library that knows more values adds them only then.
    @inlinable
    public var needsContext: Bool {
        unsafe cell.start.pointee.levels.load(ordering: .relaxed) & ScenarioGate.conditional != 0 && gate.isOpenInContext(cell)
    }

    /// Whether the scenario is on at this level now in the current task's context, or the flight recorder keeps its events of this
    /// level. It stays on while its budget is used up.
    @inlinable
    public func isEnabled(at level: TelemetryLogLevel) -> Bool { gate.isRecorded(cell, bits: ScenarioGate.bit(of: level)) }

    /// Logs an event under the scenario; arguments are not evaluated if it is off, or on only in other contexts, and not
    /// kept by the flight recorder.
    @inlinable
    public func log(
        _ name: String, level: TelemetryLogLevel = .info, property1: @autoclosure () -> String? = nil,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        guard let admission = gate.admit(cell, bits: ScenarioGate.bit(of: level)) else { return }
        capture.record(
            admission, name: name, scenario: self.name, level: level, property1: property1(), attributes: attributes())
    }
}

extension TelemetryScenario {
    /// Logs an event with attributes in a list, which is faster to make than a dictionary. Their names are different.
    @_spi(Tooling) @inlinable
    public func log(
        _ name: String, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        listed attributes: @autoclosure () -> [(key: String, value: TelemetryValue)]
    ) {
        guard let admission = gate.admit(cell, bits: ScenarioGate.bit(of: level)) else { return }
        capture.record(admission, name: name, scenario: self.name, level: level, property1: property1(), listed: attributes())
    }
}

extension TelemetryLogger {
    /// Returns a handle for a scenario that is used often.
    public nonisolated func scenario(_ name: String) -> TelemetryScenario {
        TelemetryScenario(cell: gate.cell(for: name), gate: gate, capture: capture, name: name)
    }
}
