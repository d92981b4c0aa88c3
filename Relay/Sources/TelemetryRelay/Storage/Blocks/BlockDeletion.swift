/// Deletes the events of a selection up to a number, a few blocks at a time.
struct BlockDeletion: Sendable {
    /// The maximum number of blocks that one transaction changes.
    static let step = 32

    let selection: EventSelection
    /// The last number that existed when the deletion was requested.
    let last: Int64

    /// Deletes the events from some blocks within a transaction. A block keeps its other events; without any, it is deleted.
    /// - Parameters:
    ///   - ids: the blocks.
    ///   - cutoff: identifiers are remembered if they arrived since then, in milliseconds of the arrival clock.
    /// - Returns: the number of deleted events, and whether all blocks existed. The events of others may have been merged into new ones.
    func delete(
        from ids: [Int64], cutoff: Int64, _ db: any StorageConnection, _ state: inout EventState
    ) throws -> (deleted: Int, isComplete: Bool) {
        var (deleted, isComplete) = (0, true)
        for id in ids where state.firstEvent <= last {
            guard let block = try EventBlock.find(id, db) else {
                isComplete = false
                continue
            }
            let reader = BlockReader(db, selection) { try $0.text(db) }
            let isWhole = block.numbers.upperBound <= last && selection.isOfAnyKind && selection.covers(block.seconds)
            do {
                let events = try reader.matches(block, in: state.firstEvent...last, index: 0)
                guard !events.isEmpty else { continue }
                try Self.replace(block, without: Set(events.map(\.entry.number)), packs: false, db, &state)
                try Self.release(events, cutoff: cutoff, db, &state)
                state.events -= Int64(events.count)
                deleted += events.count
            } catch let error as RelayStorageError where error == BlockScanner.malformed && isWhole {
                deleted += try Self.deleteUnreadable(block, db, &state)
            }
        }
        return (deleted, isComplete)
    }

    /// Replaces a block by one without these events, or deletes it.
    /// - Parameter packs: whether the rest is compressed. Otherwise merging compresses it, so that this transaction need not.
    static func replace(
        _ block: EventBlock, without numbers: Set<Int64>, packs: Bool, _ db: any StorageConnection, _ state: inout EventState
    ) throws {
        var rest = EventBlockContent(received: block.received)
        if numbers.count < block.count {
            // Those before the first event are deleted already.
            try rest.add(block, db) { $0.number >= state.firstEvent && !numbers.contains($0.number) }
        }
        try block.delete(db, &state)
        guard !rest.entries.isEmpty else { return }
        state.eventBytes += try rest.encoded(packs: packs).save(db, id: state.takeBlock(), of: block.stream)
    }

    /// Subtracts deleted events from the rows of their identifiers.
    static func release(
        _ events: some Sequence<BlockReader.Event>, cutoff: Int64, _ db: any StorageConnection, _ state: inout EventState
    ) throws {
        let counts: [Int64: Int64] = events.reduce(into: [:]) { $0[$1.entry.identity, default: 0] += 1 }
        state.remembered += try EventIdentities.release(counts, cutoff: cutoff, db)
    }

    /// Deletes a block that cannot be read. Its identifiers count as those of stored events.
    /// - Returns: the number of deleted events.
    static func deleteUnreadable(_ block: EventBlock, _ db: any StorageConnection, _ state: inout EventState) throws -> Int {
        try block.delete(db, &state)
        state.events -= Int64(block.count)
        return block.count
    }
}
