/// How far the journal entries that were read tell of each segment: an entry for lines before that is there twice.
///
/// A segment only ever grows at its end, and its entries stand in the order in which it grew.
struct SegmentEnds {
    private struct Segment: Hashable {
        let client: String
        let name: String
    }

    /// More segments than this are not kept in memory.
    private static let limit = 1 << 16

    private var ends: [Segment: UInt64] = [:]

    /// False for a batch that was told of before.
    mutating func insert(_ batch: EventBatch) -> Bool {
        if ends.count >= Self.limit { ends.removeAll() }
        let segment = Segment(client: batch.client, name: batch.segment)
        if let end = ends[segment], batch.offset < end { return false }
        ends[segment] = batch.offset.addingClamped(batch.byteCount)
        return true
    }

    /// The batch, inserted last, is to be read again.
    mutating func restart(_ batch: EventBatch) { ends[Segment(client: batch.client, name: batch.segment)] = batch.offset }
}

/// The ends of the segments at the places where reading stopped last, from which it mostly goes on.
struct RecentSegmentEnds {
    private static let count = 8

    private var known: [(position: JournalPosition, ends: SegmentEnds)] = []

    func ends(at position: JournalPosition) -> SegmentEnds? { known.last { $0.position.isPlace(position) }?.ends }

    mutating func keep(_ ends: SegmentEnds, at position: JournalPosition) {
        known.removeAll { $0.position.isPlace(position) }
        if known.count >= Self.count { known.removeFirst() }
        known.append((position, ends))
    }
}
