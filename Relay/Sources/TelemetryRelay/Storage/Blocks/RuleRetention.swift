import Foundation

/// Deletes the events that exceed the limits of rules by scenario, some blocks at a time.
///
/// A block keeps its other events, as when events are deleted on request. What exceeds a limit is found from the summaries of the stored
/// blocks, so that other rules hold for them from then on.
struct RuleRetention: Sendable {
    /// The events of a block that exceed limits.
    struct Excess: Sendable {
        fileprivate let block: EventBlock
        /// What they exceed, by the index of their limit.
        fileprivate let bounds: [Int: RelayEventRetention.Bound]
    }

    /// The maximum number of blocks that one transaction changes, which it may have to compress.
    static let step = 8

    private let limits: ScenarioLimits

    /// - Returns: nil if there are no rules.
    init?(_ retention: RelayEventRetention) {
        limits = ScenarioLimits(retention)
        if !limits.hasRules { return nil }
    }

    /// What exceeds the limits, the blocks with the oldest events first.
    func excess(_ db: any StorageConnection, _ state: EventState, now: TimeInterval) throws -> [Excess] {
        guard state.firstEvent < state.nextEvent else { return [] }
        let expiries = limits.limits.map { ArrivalTime.milliseconds(now - $0.age) }
        let hasSizes = limits.limits.contains { $0.bytes != nil }
        var sizes = limits.limits.map { _ in Int64(0) }
        var known: [Data: Int] = [:]
        var found: [Excess] = []
        let reader = BlockReader(db, EventSelection(.all)) { try $0.text(db) }
        let read: Set<EventBlock.Part> = hasSizes ? [.summary, .entries] : [.summary]
        try reader.forEachBlock(in: state.firstEvent...(state.nextEvent - 1), .descending, read) { block in
            guard hasSizes || expiries.contains(where: { block.received.upperBound < $0 }) else { return true }
            var bounds: [Int: RelayEventRetention.Bound] = [:]
            for (index, size) in try parts(of: block, db, &known) {
                sizes[index] += size
                if block.received.upperBound < expiries[index] {
                    bounds[index] = .age
                } else if let bytes = limits.limits[index].bytes, sizes[index] > bytes, sizes[index] > size {
                    bounds[index] = .bytes
                }
            }
            if !bounds.isEmpty { found.append(Excess(block: block.outline, bounds: bounds)) }
            return true
        }
        return found.reversed()
    }

    /// The limits that hold for a block's events, with about the bytes of the events of each. A block that cannot be read has none: it is
    /// deleted when it exceeds a limit that holds for all events.
    private func parts(of block: EventBlock, _ db: any StorageConnection, _ known: inout [Data: Int]) throws -> [Int: Int64] {
        do {
            let summary = try block.summary()
            let indices = try limits.indices(of: block, summary, db, known: &known)
            let parts = Set(indices)
            if parts.count == 1 || parts.allSatisfy({ limits.limits[$0].bytes == nil }) {
                return parts.reduce(into: [:]) { $0[$1] = block.size }
            }
            let sizes = block.sizes(ofCells: summary.cellCount, try block.entries(db, of: summary))
            return zip(indices, sizes).reduce(into: [:]) { $0[$1.0, default: 0] += $1.1 }
        } catch let error as RelayStorageError where error == BlockScanner.malformed {
            return [:]
        }
    }

    /// Deletes what exceeds the limits within a transaction.
    /// - Parameter cutoff: identifiers are remembered if they arrived since then, in milliseconds of the arrival clock.
    /// - Returns: the number of deleted events by what they exceeded, and whether all blocks existed. The events of others may have been
    ///   merged into new ones.
    func delete(
        _ excess: some Sequence<Excess>, cutoff: Int64, _ db: any StorageConnection, _ state: inout EventState
    ) throws -> (deleted: [RelayEventRetention.Bound: Int], isComplete: Bool) {
        var deleted: [RelayEventRetention.Bound: Int] = [:]
        var isComplete = true
        var known: [Data: Int] = [:]
        for excess in excess where excess.block.numbers.upperBound >= state.firstEvent {
            guard let block = try EventBlock.find(excess.block.id, db), block == excess.block else {
                isComplete = false
                continue
            }
            do {
                let summary = try block.summary()
                let bounds = try limits.indices(of: block, summary, db, known: &known).map { excess.bounds[$0] }
                let events = BlockReader.candidates(
                    in: try block.entries(db, of: summary), where: bounds.map { $0 != nil }, EventSelection(.all),
                    state.firstEvent...block.numbers.upperBound, index: 0)
                guard !events.isEmpty else { continue }
                // The rest must not use more bytes than the block: events within their limits would be deleted for it.
                try BlockDeletion.replace(
                    block, without: Set(events.map(\.entry.number)), packs: block.isPacked, db, &state)
                try BlockRetention.record(events[...], [block], db)
                try BlockDeletion.release(events.map(\.entry), cutoff: cutoff, db, &state)
                state.events -= Int64(events.count)
                for case let bound? in events.map({ bounds[$0.entry.cell] }) { deleted[bound, default: 0] += 1 }
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                continue
            }
        }
        return (deleted, isComplete)
    }
}
