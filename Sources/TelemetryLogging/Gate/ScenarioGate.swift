import Foundation
public import Synchronization
public import TelemetryModels

/// Decides, without a lock and without allocating, whether an event is wanted.
///
/// A scenario that is on for a limited time is off from its end on, whether anybody updates the gate or not: the clock is read for
/// events of such scenarios alone.
///
/// One byte tells whether anything is; a table read without a lock tells which levels of a scenario are. Changing states
/// changes cells in place: memory grows with the number of distinct names, never with the number of changes.
@usableFromInline
final class ScenarioGate: Sendable {
    /// Bit 0: events outside all scenarios are recorded. Bit 1: some scenario is on.
    @usableFromInline let openings: Atomic<UInt8>
    private let table: Atomic<UInt>
    private let seed = UInt64.random(in: .min ... .max)
    private let registry: Mutex<Registry>

    @usableFromInline static let unscoped: UInt8 = 1
    @usableFromInline static let scoped: UInt8 = 2
    @usableFromInline static let allLevels: UInt8 = 3
    /// Beside a cell's levels: the scenario is on until the cell's end.
    @usableFromInline static let leased: UInt8 = 4

    /// What a scenario that is on records, and until when.
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
            // Negated, so that an end that is not a number is over.
            end.map { !(seconds < $0) } ?? false
        }
    }

    private struct Registry {
        var isOpen: Bool
        /// What ``ScenarioGate/update(_:)`` said last, without what has ended since.
        var wanted: [String: Opening] = [:]
        /// Every scenario ever named. A dictionary's keys are equal where Swift's `==` says so.
        var cells: [String: ScenarioCellAddress] = [:]
        var entries = 0
        var retired: [ScenarioTable] = []
    }

    private let now: @Sendable () -> Double

    /// - Parameters:
    ///   - isOpen: Whether it lets events pass.
    ///   - now: The time, in seconds since 1 January 2001.
    init(isOpen: Bool, now: @escaping @Sendable () -> Double) {
        self.now = now
        openings = Atomic(isOpen ? Self.unscoped : 0)
        table = Atomic(0)
        registry = Mutex(Registry(isOpen: isOpen))
    }

    deinit {
        registry.withLock { registry in
            for cell in registry.cells.values { cell.deallocate() }
            for table in registry.retired { table.deallocate() }
            let current = table.load(ordering: .relaxed)
            if current != 0 { ScenarioTable(bits: current).deallocate() }
        }
    }

    /// The bit under which a cell knows a level.
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

    /// Whether any of these levels of the cell's scenario is recorded now.
    @inlinable @inline(__always)
    func admits(_ cell: ScenarioCellAddress, bits: UInt8) -> Bool {
        let levels = cell.pointer.pointee.levels.load(ordering: .relaxed)
        return levels & bits != 0 && (levels & Self.leased == 0 || isInForce(cell))
    }

    /// Whether a leased scenario has not ended. Where it has, it is off from now on.
    @usableFromInline
    func isInForce(_ cell: ScenarioCellAddress) -> Bool {
        let seconds = now()
        if seconds < Double(bitPattern: cell.pointer.pointee.end.load(ordering: .relaxed)) { return true }
        return registry.withLock { registry in
            let name = cell.pointer.pointee.name
            // Asked again: the cell may have been read in the middle of an update.
            guard let opening = registry.wanted[name] else { return false }
            guard opening.isOver(at: seconds) else { return registry.isOpen }
            registry.wanted[name] = nil
            apply(&registry)
            return false
        }
    }

    /// Opens or closes the gate as a whole; scenarios keep what ``update(_:)`` said of them.
    func setOpen(_ isOpen: Bool) {
        registry.withLock { registry in
            registry.isOpen = isOpen
            apply(&registry)
        }
    }

    /// Replaces what is known of all scenarios.
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
    func cell(for name: String) -> ScenarioCellAddress {
        registry.withLock { cell(for: name, in: &$0) }
    }

    private func apply(_ registry: inout Registry) {
        for (name, cell) in registry.cells {
            var levels: UInt8 = 0
            if registry.isOpen, let opening = registry.wanted[name] {
                levels = opening.levels
                if let end = opening.end {
                    levels |= Self.leased
                    cell.pointer.pointee.end.store(end.bitPattern, ordering: .relaxed)
                }
            }
            cell.pointer.pointee.levels.store(levels, ordering: .releasing)
        }
        let scoped = registry.wanted.isEmpty ? 0 : Self.scoped
        openings.store(registry.isOpen ? Self.unscoped | scoped : 0, ordering: .sequentiallyConsistent)
    }

    private func find(_ name: String) -> ScenarioCellAddress? {
        let bits = table.load(ordering: .acquiring)
        if bits == 0 { return nil }
        let table = ScenarioTable(bits: bits)
        let seed = seed
        let unclear: UInt = 1
        let found: UInt? = name.utf8.withContiguousStorageIfAvailable { bytes in
            guard let base = bytes.baseAddress, !bytes.isEmpty else { return unclear }
            let count = bytes.count
            let found = table.find(hash: ByteHash.hash(name: base, count: count, seed: seed)) {
                $0.pointee.count == count && ByteHash.areEqual($0.pointee.bytes, base, count: count)
            }
            return found?.bits ?? (ByteHash.isASCII(base, count: count) ? 0 : unclear)
        }
        if let found, found != unclear { return found == 0 ? nil : ScenarioCellAddress(bits: found) }
        // Another spelling of the same characters has other bytes: ask as Swift's `==` asks.
        return table.find(hash: canonicalHash(of: name)) { $0.pointee.name == name }
    }

    private func cell(for name: String, in registry: inout Registry) -> ScenarioCellAddress {
        if let known = registry.cells[name] { return known }
        let cell = ScenarioCellAddress.allocate(name: name)
        registry.cells[name] = cell
        grow(&registry, by: 2)
        let current = ScenarioTable(bits: table.load(ordering: .relaxed))
        let count = cell.pointer.pointee.count
        current.insert(cell, hash: ByteHash.hash(name: cell.pointer.pointee.bytes, count: count, seed: seed))
        if !name.utf8.allSatisfy({ $0 < 0x80 }) || name.isEmpty { current.insert(cell, hash: canonicalHash(of: name)) }
        return cell
    }

    private func grow(_ registry: inout Registry, by count: Int) {
        registry.entries += count
        let bits = table.load(ordering: .relaxed)
        let old = bits == 0 ? nil : ScenarioTable(bits: bits)
        guard registry.entries * 2 > old?.capacity ?? 0 else { return }
        let new = ScenarioTable(capacity: max(64, (old?.capacity ?? 0) * 2))
        if let old {
            new.insertAll(of: old)
            registry.retired.append(old)
        }
        table.store(new.bits, ordering: .releasing)
    }

    private func canonicalHash(of name: String) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(name)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
