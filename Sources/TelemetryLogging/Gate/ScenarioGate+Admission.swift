public import Synchronization
public import TelemetryModels

/// The decision on an event, which takes no lock and does not allocate.
extension ScenarioGate {
    /// The bits of a level and of those that are less detailed.
    static func levels(upTo level: TelemetryLogLevel) -> UInt8 {
        switch level {
        case .info: bit(of: .info)
        case .diagnostic: allLevels
        }
    }

    /// The bit of a level in a cell.
    @inlinable @inline(__always)
    static func bit(of level: TelemetryLogLevel) -> UInt8 {
        switch level {
        case .info: 1
        case .diagnostic: 2
        }
    }

    /// Decides on an event, which counts against its scenario's budget; nil if it must not be recorded.
    @usableFromInline
    func admit(_ scenario: String, level: TelemetryLogLevel) -> Admission? {
        guard let cell = find(scenario) else { return nil }
        return admit(cell, bits: Self.bit(of: level))
    }

    /// Decides on an event, which counts against its scenario's budget; nil if it must not be recorded.
    /// - Parameters:
    ///   - cell: A cell of this gate.
    ///   - bits: The bit of the event's level.
    @inlinable @inline(__always)
    func admit(_ cell: SharedMemory<ScenarioCell>, bits: UInt8) -> Admission? {
        // The cell is one of this gate's.
        let levels = unsafe cell.start.pointee.levels.load(ordering: .relaxed)
        guard levels & (bits | bits &<< Self.recordedShift) != 0 else { return nil }
        let isPlain = levels & bits != 0 && levels & (Self.leased | Self.budgeted | Self.conditional) == 0
        return isPlain ? Admission() : admit(cell, levels: levels, bits: bits)
    }

    /// Decides on an event of a scenario with a lease, a budget or conditions on the context, or that the flight recorder keeps.
    @usableFromInline
    func admit(_ cell: SharedMemory<ScenarioCell>, levels: UInt8, bits: UInt8) -> Admission? {
        guard levels & bits != 0, isInForce(cell, levels: levels) else { return keep(cell, bits: bits) }
        // The cell is one of this gate's.
        guard levels & Self.budgeted != 0, let meter = unsafe cell.start.pointee.meter.load(ordering: .acquiring) else {
            return Admission()
        }
        return budgets.admit(meter)
    }

    /// Whether a scenario that is on has not ended, and is on in the context of this task.
    private func isInForce(_ cell: SharedMemory<ScenarioCell>, levels: UInt8) -> Bool {
        (levels & Self.conditional == 0 || decisionInContext(cell).holds) && (levels & Self.leased == 0 || isInForce(cell))
    }

    /// Whether values that the context of this task lacks could decide on a scenario with conditions.
    @usableFromInline
    func isOpenInContext(_ cell: SharedMemory<ScenarioCell>) -> Bool { decisionInContext(cell).isOpen }

    /// Decides on an event of a scenario that is off.
    private func keep(_ cell: SharedMemory<ScenarioCell>, bits: UInt8) -> Admission? {
        // The cell is one of this gate's. Its ring was stored before its levels, which may have changed meanwhile.
        let levels = unsafe cell.start.pointee.levels.load(ordering: .acquiring)
        guard levels & bits &<< Self.recordedShift != 0 else { return nil }
        return unsafe Admission(ring: cell.start.pointee.ring.load(ordering: .relaxed))
    }

    /// Whether any of these levels of the scenario is on now, even if its budget is used up, or is kept by the flight recorder.
    /// - Parameter cell: A cell of this gate.
    @inlinable @inline(__always)
    func isRecorded(_ cell: SharedMemory<ScenarioCell>, bits: UInt8) -> Bool {
        // The cell is one of this gate's.
        let levels = unsafe cell.start.pointee.levels.load(ordering: .relaxed)
        if levels & (bits | bits &<< Self.recordedShift) == 0 { return false }
        let isPlain = levels & bits == 0 || levels & (Self.leased | Self.conditional) == 0
        return isPlain || isInForceOrKept(cell, levels: levels, bits: bits)
    }

    @usableFromInline
    func isInForceOrKept(_ cell: SharedMemory<ScenarioCell>, levels: UInt8, bits: UInt8) -> Bool {
        isInForce(cell, levels: levels) || keep(cell, bits: bits) != nil
    }
}
