import Foundation
public import Synchronization
public import TelemetryModels

/// Decides, without a lock and without allocating, whether an event is recorded.
///
/// A scenario that is on for a limited time is off after its end, also without an update of the gate. The clock is read only for
/// events of such scenarios.
///
/// One byte states whether any event is recorded; a table that is read without a lock states which levels of a scenario are.
/// Changing states changes cells in place: memory grows with the number of distinct names, not with the number of changes.
///
/// The gate owns its cells and tables, and deallocates them in its `deinit`.
@usableFromInline
final class ScenarioGate: Sendable {
    /// Bit 0: events outside all scenarios are recorded. Bit 1: at least one scenario is on.
    @usableFromInline let openings: Atomic<UInt8>
    private let table = Atomic<SharedMemory<ScenarioTable.Slot>?>(nil)
    private let seed = UInt64.random(in: .min ... .max)
    private let registry: Mutex<Registry>

    @usableFromInline static let unscoped: UInt8 = 1
    @usableFromInline static let scoped: UInt8 = 2
    @usableFromInline static let allLevels: UInt8 = 3
    /// The bit next to a cell's levels that states that the scenario is on until the cell's end.
    @usableFromInline static let leased: UInt8 = 4

    /// The levels that an enabled scenario records, and its end.
    private struct Opening {
        var levels: UInt8
        /// Seconds since 1 January 2001.
        var end: Double?

        init?(_ state: TelemetryScenarioState) {
            guard state.isEnabled else { return nil }
            levels =
                switch state.level {
                case .info: ScenarioGate.bit(of: .info)
                case .diagnostic: ScenarioGate.allLevels
                }
            end = state.expires?.timeIntervalSinceReferenceDate
        }

        func isOver(at seconds: Double) -> Bool {
            // Negated, so that a NaN end is in the past.
            end.map { !(seconds < $0) } ?? false
        }
    }

    private struct Registry {
        var isOpen: Bool
        /// The enabled scenarios of the last ``ScenarioGate/update(_:)``, without those that ended since.
        var wanted: [String: Opening] = [:]
        /// The cells of all names, which never change. Names that are canonically equivalent share a cell.
        var cells: [String: SharedMemory<ScenarioCell>] = [:]
        var entries = 0
        var retired: [ScenarioTable] = []
    }

    private let now: @Sendable () -> Double

    /// - Parameters:
    ///   - isOpen: Whether it admits events.
    ///   - now: Returns the time in seconds since 1 January 2001.
    init(isOpen: Bool, now: @escaping @Sendable () -> Double) {
        self.now = now
        openings = Atomic(isOpen ? Self.unscoped : 0)
        registry = Mutex(Registry(isOpen: isOpen))
    }

    deinit {
        registry.withLock { registry in
            // No other thread has a reference to the gate any more.
            for cell in registry.cells.values { unsafe cell.deallocate(count: 1) }
            for table in registry.retired { unsafe table.deallocate() }
            if let slots = table.load(ordering: .relaxed) { unsafe ScenarioTable(slots: slots).deallocate() }
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

    /// Whether an event of this scenario and level is recorded now.
    @usableFromInline
    func admits(_ scenario: String, level: TelemetryLogLevel) -> Bool {
        guard let cell = find(scenario) else { return false }
        return admits(cell, bits: Self.bit(of: level))
    }

    /// Whether any of these levels of the scenario is recorded now.
    /// - Parameter cell: A cell of this gate.
    @inlinable @inline(__always)
    func admits(_ cell: SharedMemory<ScenarioCell>, bits: UInt8) -> Bool {
        // The cell is one of this gate's.
        let levels = unsafe cell.start.pointee.levels.load(ordering: .relaxed)
        return levels & bits != 0 && (levels & Self.leased == 0 || isInForce(cell))
    }

    /// Whether a leased scenario has not ended. Turns it off if it has.
    /// - Parameter cell: A cell of this gate.
    @usableFromInline
    func isInForce(_ cell: SharedMemory<ScenarioCell>) -> Bool {
        let seconds = now()
        // The cell is one of this gate's, here and below.
        if unsafe seconds < Double(bitPattern: cell.start.pointee.end.load(ordering: .relaxed)) { return true }
        return registry.withLock { registry in
            let name = unsafe cell.start.pointee.name
            // Checked again: the cell may have been read during an update.
            guard let opening = registry.wanted[name] else { return false }
            guard opening.isOver(at: seconds) else { return registry.isOpen }
            registry.wanted[name] = nil
            apply(&registry)
            return false
        }
    }

    /// Opens or closes the whole gate; the states of ``update(_:)`` are kept.
    func setOpen(_ isOpen: Bool) {
        registry.withLock { registry in
            registry.isOpen = isOpen
            apply(&registry)
        }
    }

    /// Replaces the states of all scenarios.
    func update(_ states: [String: TelemetryScenarioState]) {
        let seconds = now()
        registry.withLock { registry in
            registry.wanted = states.compactMapValues { state in
                Opening(state).flatMap { $0.isOver(at: seconds) ? nil : $0 }
            }
            for name in registry.wanted.keys { _ = cell(for: name, in: &registry) }
            apply(&registry)
        }
    }

    /// The permanent cell of a scenario.
    func cell(for name: String) -> SharedMemory<ScenarioCell> {
        registry.withLock { cell(for: name, in: &$0) }
    }

    private func apply(_ registry: inout Registry) {
        for (name, cell) in registry.cells {
            var levels: UInt8 = 0
            if registry.isOpen, let opening = registry.wanted[name] {
                levels = opening.levels
                if let end = opening.end {
                    levels |= Self.leased
                    // The cells of the registry exist as long as the gate, here and below.
                    unsafe cell.start.pointee.end.store(end.bitPattern, ordering: .relaxed)
                }
            }
            unsafe cell.start.pointee.levels.store(levels, ordering: .releasing)
        }
        let scoped = registry.wanted.isEmpty ? 0 : Self.scoped
        openings.store(registry.isOpen ? Self.unscoped | scoped : 0, ordering: .sequentiallyConsistent)
    }

    private enum Lookup {
        case found(SharedMemory<ScenarioCell>)
        case absent
        /// No cell has the same bytes, but one may have a canonically equivalent name.
        case unclear
    }

    private func find(_ name: String) -> SharedMemory<ScenarioCell>? {
        guard let slots = table.load(ordering: .acquiring) else { return nil }
        let table = ScenarioTable(slots: slots)
        let seed = seed
        // The name keeps its bytes during the call. `base` has `bytes.count` of them.
        let lookup: Lookup? = unsafe name.utf8.withContiguousStorageIfAvailable { bytes in
            guard let base = bytes.baseAddress, !bytes.isEmpty else { return .unclear }
            let hash = unsafe ByteHash.hash(name: base, count: bytes.count, seed: seed)
            if let cell = table.find(hash: hash, where: { unsafe $0.isNamed(bytes) }) { return .found(cell) }
            return unsafe ByteHash.isASCII(base, count: bytes.count) ? .absent : .unclear
        }
        switch lookup {
        case .found(let cell): return cell
        case .absent: return nil
        case .unclear, nil: return table.find(hash: canonicalHash(of: name)) { $0.name == name }
        }
    }

    private func cell(for name: String, in registry: inout Registry) -> SharedMemory<ScenarioCell> {
        if let known = registry.cells[name] { return known }
        let cell = SharedMemory(count: 1) { _ in ScenarioCell(name: name) }
        registry.cells[name] = cell
        let table = table(in: &registry, withRoomFor: 2)
        // The cell was just created.
        unsafe table.insert(cell, hash: cell.start.pointee.hash(seed: seed))
        if !name.utf8.allSatisfy({ $0 < 0x80 }) || name.isEmpty { table.insert(cell, hash: canonicalHash(of: name)) }
        return cell
    }

    /// Returns the current table, or a larger one that replaces it if it has too little room for `count` more cells.
    private func table(in registry: inout Registry, withRoomFor count: Int) -> ScenarioTable {
        registry.entries += count
        let old = table.load(ordering: .relaxed).map(ScenarioTable.init(slots:))
        if let old, registry.entries * 2 <= old.capacity { return old }
        let new = ScenarioTable(capacity: max(64, (old?.capacity ?? 0) * 2))
        if let old {
            new.insertAll(of: old)
            registry.retired.append(old)
        }
        table.store(new.slots, ordering: .releasing)
        return new
    }

    private func canonicalHash(of name: String) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(name)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
