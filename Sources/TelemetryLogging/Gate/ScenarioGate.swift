public import Synchronization
import TelemetryModels

/// Decides, without a lock and without allocating, whether an event is recorded. With conditions on the context, the first decision in a
/// context takes a lock.
///
/// A scenario that is on for a limited time is off after its end, also without an update of the gate. The clock is read only for
/// events of such scenarios, and of scenarios with a budget.
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
    /// The bit that states that the scenario's events count against a budget.
    @usableFromInline static let budgeted: UInt8 = 8
    /// The bit that states that the scenario is on only in some contexts.
    @usableFromInline static let conditional: UInt8 = 16
    /// The bit that states that the conditions hold for a task without a context.
    static let holdsWithoutContext: UInt8 = 128
    /// The distance of the bits of a level that is delivered and of one that the flight recorder keeps.
    @usableFromInline static let recordedShift: UInt8 = 5

    private struct Registry {
        var isOpen: Bool
        /// The enabled scenarios of the last ``ScenarioGate/update(_:)``, without those that ended since.
        var wanted: [String: ScenarioOpening] = [:]
        /// The indices of the rings of the scenarios that the flight recorder keeps while they are off.
        var rings: [String: Int] = [:]
        /// The levels that it keeps.
        var recordedLevels: UInt8 = 0
        /// The cells of all names, which never change. Names that are canonically equivalent share a cell.
        var cells: [String: SharedMemory<ScenarioCell>] = [:]
        var entries = 0
        var retired: [ScenarioTable] = []
    }

    private let now: @Sendable () -> Double
    /// How much each scenario may record.
    let budgets: ScenarioBudgets

    /// - Parameters:
    ///   - isOpen: Whether it admits events.
    ///   - now: Returns the time in seconds since 1 January 2001.
    init(isOpen: Bool, now: @escaping @Sendable () -> Double) {
        self.now = now
        budgets = ScenarioBudgets(now: now)
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

    /// Whether a leased scenario has not ended. Turns it off if it has.
    /// - Parameter cell: A cell of this gate.
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

    /// Whether the scenario's conditions hold in the context of this task.
    /// - Parameter cell: A cell of this gate.
    func decisionInContext(_ cell: SharedMemory<ScenarioCell>) -> ContextDecision {
        // The cell is one of this gate's, here and below. Its conditions were stored before its levels.
        let levels = unsafe cell.start.pointee.levels.load(ordering: .acquiring)
        // It may have changed since.
        guard levels & Self.conditional != 0 else { return ContextDecision(holds: levels & Self.allLevels != 0, isOpen: false) }
        guard let context = TelemetryContext.values else {
            return ContextDecision(holds: levels & Self.holdsWithoutContext != 0, isOpen: true)
        }
        if let known = unsafe context.decision(on: cell.start.pointee.conditions.load(ordering: .relaxed)) { return known }
        let opening = registry.withLock { registry in unsafe registry.wanted[cell.start.pointee.name] }
        guard let opening else { return ContextDecision(holds: false, isOpen: false) }
        let decision = opening.conditions.decision(in: context.byName)
        if !opening.conditions.isEmpty { context.remember(decision, for: opening.conditionsId) }
        return decision
    }

    /// Limits how much each scenario records; nil for no limit.
    func limit(to budget: ScenarioBudget?) {
        budgets.set(budget)
        registry.withLock { apply(&$0) }
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
            // Equal conditions have one identifier, so that a context remembers the decision for all scenarios with them.
            var identifiers: [[TelemetryRuleCondition]: UInt64] = [:]
            for opening in registry.wanted.values { identifiers[opening.conditions] = opening.conditionsId }
            registry.wanted = [:]
            for (name, state) in states {
                guard var opening = ScenarioOpening(state), !opening.isOver(at: seconds) else { continue }
                opening.identifyConditions(&identifiers)
                registry.wanted[name] = opening
            }
            // Also of scenarios that are off, whose calls are then decided by the first lookup.
            for name in states.keys { _ = cell(for: name, in: &registry) }
            apply(&registry)
        }
    }

    /// Replaces the scenarios that the flight recorder keeps while they are off.
    /// - Parameter rings: The indices of the scenarios' rings.
    func record(_ rings: [String: Int], level: TelemetryLogLevel) {
        registry.withLock { registry in
            registry.rings = rings
            registry.recordedLevels = Self.levels(upTo: level) &<< Self.recordedShift
            for name in rings.keys { _ = cell(for: name, in: &registry) }
            apply(&registry)
        }
    }

    /// The permanent cell of a scenario.
    func cell(for name: String) -> SharedMemory<ScenarioCell> {
        registry.withLock { cell(for: name, in: &$0) }
    }

    private func apply(_ registry: inout Registry) {
        let isLimited = budgets.isLimited
        for (name, cell) in registry.cells {
            var levels: UInt8 = 0
            if registry.isOpen, let opening = registry.wanted[name] {
                levels = opening.levels
                if isLimited {
                    levels |= Self.budgeted
                    // The cells of the registry exist as long as the gate, here and below.
                    unsafe cell.start.pointee.meter.store(budgets.meter(for: name), ordering: .releasing)
                }
                if let end = opening.end {
                    levels |= Self.leased
                    unsafe cell.start.pointee.end.store(end.bitPattern, ordering: .relaxed)
                }
                if !opening.conditions.isEmpty {
                    levels |= Self.conditional
                    if opening.conditions.hold(in: [:]) { levels |= Self.holdsWithoutContext }
                    unsafe cell.start.pointee.conditions.store(opening.conditionsId, ordering: .relaxed)
                }
            } else if registry.isOpen, let ring = registry.rings[name] {
                levels = registry.recordedLevels
                unsafe cell.start.pointee.ring.store(ring, ordering: .relaxed)
            }
            unsafe cell.start.pointee.levels.store(levels, ordering: .releasing)
        }
        let scoped = registry.wanted.isEmpty && registry.rings.isEmpty ? 0 : Self.scoped
        openings.store(registry.isOpen ? Self.unscoped | scoped : 0, ordering: .sequentiallyConsistent)
    }

    private enum Lookup {
        case found(SharedMemory<ScenarioCell>)
        case absent
        /// No cell has the same bytes, but one may have a canonically equivalent name.
        case unclear
    }

    func find(_ name: String) -> SharedMemory<ScenarioCell>? {
        guard let slots = table.load(ordering: .acquiring) else { return nil }
        let table = ScenarioTable(slots: slots)
        let seed = seed
        // Short names are found without access to their bytes.
        if let words = TextWords(name), let cell = table.find(hash: words.hash(seed: seed), where: { $0.words == words }) {
            return cell
        }
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
        let table = table(in: &registry, withRoomFor: 3)
        // The cell was just created.
        unsafe table.insert(cell, hash: cell.start.pointee.hash(seed: seed))
        if let words = unsafe cell.start.pointee.words { table.insert(cell, hash: words.hash(seed: seed)) }
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
