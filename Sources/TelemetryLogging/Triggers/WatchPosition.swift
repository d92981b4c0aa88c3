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
        while let length = FrameDecoder.length(at: offset, in: bytes) {
            let isDefinition = FrameDecoder.isDefinition(bytes[offset..<(offset + length)])
            if !isDefinition, sequence >= first { break }
            if !isDefinition { sequence &+= 1 }
            offset += length
        }
        let end = min(bytes.count, offset + max(limit, FrameDecoder.length(at: offset, in: bytes) ?? 0))
        // Copied before it is read: another core wrote the bytes, which arrive faster in their order than from length to length.
        let copy = bytes[offset..<end].array
        let frames = copy.withByteView(Self.events)
        self.sequence = max(first, sequence &+ UInt64(frames.count))
        memory = segment.memory
        self.offset = offset + (frames.last?.upperBound ?? 0)
        return UnreadEvents(source: .segment(firstSequence: first), bytes: copy, frames: frames)
    }

    /// The places of the events up to the next definition, so that they have consecutive sequences and one client.
    private static func events(in bytes: ByteView) -> [Range<Int>] {
        var frames: [Range<Int>] = []
        frames.reserveCapacity(bytes.count / 64)
        var place = 0
        while let length = FrameDecoder.length(at: place, in: bytes) {
            let frame = place..<(place + length)
            if FrameDecoder.isDefinition(bytes[frame]) { break }
            frames.append(frame)
            place = frame.upperBound
        }
        return frames
    }
}
