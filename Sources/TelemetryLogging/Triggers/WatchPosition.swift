/// The place of the next event that triggers read.
struct WatchPosition: Sendable {
    var session: Session
    var sequence: UInt64
    /// The place after the event before it, if that is still in this memory.
    var memory: SegmentMemory?
    var offset = 0

    /// Copies the next events of the session that were not read, about as many as the limit in bytes.
    mutating func takeUnread(in segments: [CaptureSegment], of session: Session, limit: Int) -> UnreadEvents? {
        if self.session !== session { self = WatchPosition(session: session, sequence: 1) }
        for segment in segments where segment.session === session {
            guard sequence < segment.firstSequence &+ UInt64(segment.waiting) else { continue }
            let events = segment.memory.withBytes(in: 0..<segment.committed) { copyUnread(of: segment, in: $0, limit: limit) }
            if !events.frames.isEmpty { return events }
        }
        return nil
    }

    private mutating func copyUnread(of segment: CaptureSegment, in bytes: ByteView, limit: Int) -> UnreadEvents {
        let first = max(sequence, segment.firstSequence)
        // A segment that was rewound begins with a later sequence than the position's.
        let isKnown =
            memory === segment.memory && sequence > segment.firstSequence
            && offset >= segment.consumed
        var sequence = isKnown ? first : segment.firstSequence
        var offset = isKnown ? offset : segment.consumed
        var start: Int?
        var frames: [Range<Int>] = []
        while offset < bytes.count, offset - (start ?? offset) < limit {
            guard let length = FrameDecoder.length(at: offset, in: bytes) else { break }
            let frame = offset..<(offset + length)
            offset += length
            if FrameDecoder.isDefinition(bytes[frame]) {
                // The events of a copy have consecutive sequences and one client.
                if start != nil { break }
                continue
            }
            if sequence >= first {
                let origin = start ?? frame.lowerBound
                start = origin
                frames.append((frame.lowerBound - origin)..<(frame.upperBound - origin))
            }
            sequence &+= 1
        }
        self.sequence = max(first, sequence)
        memory = segment.memory
        self.offset = offset
        let end = (start ?? 0) + (frames.last?.upperBound ?? 0)
        return UnreadEvents(
            source: .segment(firstSequence: first), bytes: bytes[(start ?? 0)..<end].array, frames: frames)
    }
}
