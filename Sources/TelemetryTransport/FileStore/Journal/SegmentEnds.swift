/// The end of each segment according to the journal entries read so far; an entry for an earlier offset is a duplicate.
///
/// A segment only grows at its end, and its entries are in the same order.
struct SegmentEnds {
    private struct SegmentKey: Hashable {
        let client: String
        let name: String
    }

    /// The maximum number of segments kept in memory.
    private static let limit = 1 << 16

    private var ends: [SegmentKey: UInt64] = [:]
    /// The segment of the previous entry, which is mostly also the next one's; separate because hashing names takes time.
    private var last: (segment: SegmentKey, end: UInt64)?

    /// Returns false for a duplicate.
    mutating func insert(_ batch: JournalBatch) -> Bool {
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

    /// Inserts every batch of a completed journal file. False, and nothing changes, if one of them is a duplicate.
    mutating func advance(over index: JournalIndex) -> Bool {
        if let last { ends[last.segment] = last.end }
        last = nil
        let keys = index.segments.map { SegmentKey(client: index.clients[$0.client], name: $0.name) }
        if !ends.isEmpty {
            for (key, segment) in zip(keys, index.segments) where segment.start < ends[key] ?? 0 { return false }
        }
        if ends.count + keys.count > Self.limit { ends.removeAll() }
        for (key, segment) in zip(keys, index.segments) { ends[key] = segment.end }
        return true
    }

    /// Removes the last inserted batch, so that it can be inserted again.
    mutating func restart(_ batch: JournalBatch) { last?.end = batch.offset }
}

/// The segment ends at the positions where reading last stopped, where it usually continues.
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
