/// How far the journal entries that were read tell of each segment: an entry for lines before that is there twice.
///
/// A segment only ever grows at its end, and its entries stand in the order in which it grew.
package struct SegmentEnds {
    private struct SegmentKey: Hashable {
        let client: String
        let name: String
    }

    /// More segments than this are not kept in memory.
    private static let limit = 1 << 16

    private var ends: [SegmentKey: UInt64] = [:]
    /// The segment of the entry before, which is that of the next one as well, mostly; kept apart because hashing names takes time.
    private var last: (segment: SegmentKey, end: UInt64)?

    package init() {}

    /// False for a batch that was told of before.
    package mutating func insert(_ batch: JournalBatch) -> Bool {
        if let last, last.segment.name == batch.segment, last.segment.client == batch.client {
            if batch.offset < last.end { return false }
        } else {
            if ends.count >= Self.limit { ends.removeAll() }
            if let last { ends[last.segment] = last.end }
            let segment = SegmentKey(client: batch.client, name: batch.segment)
            last = (segment, ends[segment] ?? 0)
            if batch.offset < last?.end ?? 0 { return false }
        }
        last?.end = batch.offset.addingClamped(batch.byteCount)
        return true
    }

    /// The batch, inserted last, is to be read again.
    package mutating func restart(_ batch: JournalBatch) { last?.end = batch.offset }
}

/// The ends of the segments at the places where reading stopped last, from which it mostly goes on.
package struct RecentSegmentEnds {
    private static let count = 8

    private var known: [(position: JournalPosition, ends: SegmentEnds)] = []

    package init() {}

    package func ends(at position: JournalPosition) -> SegmentEnds? { known.last { $0.position.isPlace(position) }?.ends }

    package mutating func keep(_ ends: SegmentEnds, at position: JournalPosition) {
        known.removeAll { $0.position.isPlace(position) }
        if known.count >= Self.count { known.removeFirst() }
        known.append((position, ends))
    }
}
