import Foundation

/// Merges small blocks of a stream that follow each other, and compresses blocks that are stored as they arrived.
///
/// Numbers and lines do not change. What is read or deleted at the same time is not affected: a merged block replaces its parts in one
/// transaction, if they are all still there.
struct BlockMerging: Sendable {
    /// The time after which blocks are compressed even if there is less than a full block of them, in seconds.
    static let delay: TimeInterval = 10

    /// The maximum bytes of the parts that one transaction replaces.
    private static let transactionLength = 256 << 10
    /// The number of streams whose blocks are read at once.
    private static let streams = 64
    /// The number of blocks before the first uncompressed one of a stream that may be merged with it.
    private static let predecessors = 12
    /// The number of uncompressed blocks of a stream that are read at once.
    private static let successors = 256

    private let limits: ScenarioLimits

    init(_ retention: RelayEventRetention) { limits = ScenarioLimits(retention) }

    /// The maximum difference between the arrivals of the events of a block that contains these, in milliseconds: a block expires with its
    /// last event.
    private func spread(_ block: EventBlock) -> Int64 {
        let age = limits.hasRules ? limits.shortestAge(in: try? block.summary()) : limits.ages.upperBound
        return Int64(min(age, 1e10) * 1000) / 30
    }

    /// Blocks of a stream that become one.
    struct Group: Sendable {
        fileprivate(set) var blocks: [EventBlock] = []
        fileprivate(set) var length = 0
        private var count = 0
        private var received: ClosedRange<Int64>?
        private var spread = Int64.max

        fileprivate init(blocks: [EventBlock] = [], length: Int = 0) { (self.blocks, self.length) = (blocks, length) }

        /// Adds a block, unless the merged block would exceed a limit.
        fileprivate mutating func add(_ block: EventBlock, spread: Int64) -> Bool {
            let oldest = min(received?.lowerBound ?? .max, block.received.lowerBound)
            let newest = max(received?.upperBound ?? .min, block.received.upperBound)
            let first = blocks.first?.numbers.lowerBound ?? block.numbers.lowerBound
            let spread = min(self.spread, spread)
            let fits =
                length + block.length <= EventBlock.maximumLength && count + block.count <= EventBlock.maximumCount
                && newest - oldest <= spread && block.numbers.upperBound - first < BlockCursor.span
            guard fits || blocks.isEmpty else { return false }
            blocks.append(block)
            length += block.length
            count += block.count
            received = oldest...newest
            self.spread = spread
            return true
        }
    }

    /// The groups to merge: of streams that have a full block of uncompressed text, or an uncompressed block since a time. Those that
    /// have waited longest come first, and the result says whether there may be more.
    /// - Parameter excluded: blocks that cannot be read.
    func groups(
        _ db: any StorageConnection, unpackedSince time: TimeInterval, without excluded: Set<Int64> = []
    ) throws -> (groups: [Group], hasMore: Bool) {
        let streams = try db.rows(
            """
            SELECT stream, MIN(first) FROM event_block WHERE packed = 0 GROUP BY stream
            HAVING SUM(length) >= \(EventBlock.maximumLength) OR MIN(first_received) <= $1
            ORDER BY MIN(first_received) LIMIT \(Self.streams)
            """, [.int(ArrivalTime.milliseconds(time))])
        let groups = try streams.flatMap { row in
            let values: [StorageValue] = [.int(try row.int(0)), .int(try row.int(1))]
            func blocks(_ condition: String) throws -> [EventBlock] {
                try db.rows(
                    "SELECT \(EventBlock.columns(with: limits.hasRules ? [.summary] : [])) FROM event_block WHERE stream = $1 AND \(condition)",
                    values
                ).map(EventBlock.init)
            }
            let before = try blocks("first < $2 ORDER BY first DESC LIMIT \(Self.predecessors)")
            let found = before.reversed() + (try blocks("first >= $2 ORDER BY first LIMIT \(Self.successors)"))
            return found.split { excluded.contains($0.id) }.flatMap { self.groups(Array($0)) }
        }
        return (groups, streams.count == Self.streams)
    }

    /// - Parameter blocks: consecutive blocks of one stream.
    func groups(_ blocks: [EventBlock]) -> [Group] {
        var groups: [Group] = [Group()]
        for block in blocks {
            let spread = spread(block)
            if groups[groups.count - 1].add(block, spread: spread) { continue }
            var group = Group()
            _ = group.add(block, spread: spread)
            groups.append(group)
        }
        return groups.flatMap { Self.worthwhile($0.blocks[...]) }
    }

    /// Leaves out compressed blocks that have half of the bytes or more, so that an event is compressed again only into a block of more
    /// than double the size.
    private static func worthwhile(_ blocks: ArraySlice<EventBlock>) -> [Group] {
        let length = blocks.reduce(0) { $0 + $1.length }
        if let large = blocks.firstIndex(where: { $0.isPacked && 2 * $0.length >= length }) {
            return worthwhile(blocks[..<large]) + worthwhile(blocks[(large + 1)...])
        }
        return blocks.isEmpty ? [] : [Group(blocks: Array(blocks), length: length)]
    }

    /// Those of the first groups whose parts fit into one transaction, at least one.
    static func first(_ groups: ArraySlice<Group>) -> ArraySlice<Group> {
        var length = 0
        return groups.prefix { group in
            defer { length += group.length }
            return length == 0 || length + group.length <= transactionLength
        }
    }

    /// The merged content of a group, read from a snapshot; nil if a block is gone.
    /// - Parameter unreadable: gets the blocks that cannot be read, without which the group can be merged later.
    static func content(
        _ group: Group, _ db: any StorageConnection, unreadable: inout Set<Int64>
    ) throws -> EventBlockContent? {
        guard let first = group.blocks.first else { return nil }
        var content = EventBlockContent(received: first.received)
        for outline in group.blocks {
            guard let block = try EventBlock.find(outline.id, db) else { return nil }
            do {
                try content.add(block, db)
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                unreadable.insert(block.id)
            }
        }
        return unreadable.isDisjoint(with: group.blocks.map(\.id)) ? content : nil
    }

    private static func exist(_ group: Group, _ db: any StorageConnection) throws -> Bool {
        let statements = group.blocks.map { Statement("SELECT id FROM event_block WHERE id = $1", [.int($0.id)]) }
        return try db.rows(statements).allSatisfy { !$0.isEmpty }
    }

    /// Replaces a group within a transaction, unless one of its blocks is gone.
    static func replace(_ group: Group, by merged: EncodedBlock, _ db: any StorageConnection, _ state: inout EventState) throws {
        guard let first = group.blocks.first, try exist(group, db) else { return }
        for block in group.blocks { try block.delete(db, &state) }
        state.eventBytes += try merged.save(db, id: state.takeBlock(), of: first.stream)
    }
}
