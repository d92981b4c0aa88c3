/// Deletes the events of a selection up to a number, a few blocks at a time.
struct BlockDeletion: Sendable {
    /// The maximum number of blocks that one transaction changes.
    static let step = 32

    let selection: EventSelection
    /// The last number that existed when the deletion was requested.
    let last: Int64

    /// The events of a block that are deleted.
    struct Found: Sendable {
        fileprivate let block: EventBlock
        /// Their numbers; nil for those of a block that cannot be read.
        fileprivate let numbers: Set<Int64>?

        var first: Int64 { block.numbers.lowerBound }
    }

    /// Finds the first blocks with events from a number on. Only their numbers are used afterwards, so that the transaction of the deletion
    /// does not search again.
    /// - Parameter text: Reads the text of a block.
    func find(
        from next: Int64, _ db: any StorageConnection, text: @escaping (EventBlock) throws -> [UInt8]
    ) throws -> [Found] {
        let numbers = next...last
        let reader = BlockReader(db, selection, text: text)
        var found: [Found] = []
        try reader.forEachBlock(in: numbers, .ascending) { block in
            let isWhole = block.numbers.upperBound <= last && selection.isOfAnyKind && selection.covers(block.seconds)
            do {
                let events = try reader.matches(block, in: numbers, index: 0)
                if !events.isEmpty { found.append(Found(block: block.outline, numbers: Set(events.map(\.entry.number)))) }
            } catch let error as RelayStorageError where error == BlockScanner.malformed && isWhole {
                found.append(Found(block: block.outline, numbers: nil))
            }
            return found.count < Self.step
        }
        return found
    }

    /// Deletes found events within a transaction. A block keeps its other events; without any, it is deleted.
    /// - Parameter cutoff: identifiers are remembered if they arrived since then, in milliseconds of the arrival clock.
    /// - Returns: the number of deleted events, and whether all blocks existed. The events of others may have been merged into new ones.
    func delete(
        _ found: [Found], cutoff: Int64, _ db: any StorageConnection, _ state: inout EventState
    ) throws -> (deleted: Int, isComplete: Bool) {
        var (deleted, isComplete) = (0, true)
        for found in found {
            guard let block = try EventBlock.find(found.block.id, db), block == found.block else {
                isComplete = false
                continue
            }
            guard let numbers = found.numbers else {
                deleted += try Self.deleteUnreadable(block, db, &state)
                continue
            }
            // Retention may have deleted some meanwhile.
            let entries = try block.entries(db, of: block.summary()).filter {
                $0.number >= state.firstEvent && numbers.contains($0.number)
            }
            guard !entries.isEmpty else { continue }
            try Self.replace(block, without: Set(entries.map(\.number)), packs: false, db, &state)
            try Self.release(entries, cutoff: cutoff, db, &state)
            state.events -= Int64(entries.count)
            deleted += entries.count
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
        _ entries: some Sequence<BlockEntry>, cutoff: Int64, _ db: any StorageConnection, _ state: inout EventState
    ) throws {
        let counts: [Int64: Int64] = entries.reduce(into: [:]) { $0[$1.identity, default: 0] += 1 }
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
