/// The place of the next event that triggers read.
struct WatchPosition: Sendable {
    var session: Session
    var sequence: UInt64
    /// The place after the event before it, if that is still in this memory.
    var memory: SegmentMemory?
    var offset = 0
}

extension CaptureState {
    /// Reads events from now on.
    mutating func beginWatching() {
        watch = WatchPosition(session: session, sequence: nextSequence)
        recorder.skipUnread()
    }

    mutating func endWatching() {
        watch = nil
        isWatchIdle = false
    }

    /// Copies the next events that triggers have not read, about as many as the limit in bytes. Without any, the next event wakes the
    /// watch.
    mutating func takeUnread(limit: Int) -> UnreadEvents? {
        guard watch != nil else { return nil }
        if let events = takeUnreadFromSegments(limit: limit) ?? recorder.takeUnread(limit: limit) { return events }
        isWatchIdle = true
        return nil
    }

    private mutating func takeUnreadFromSegments(limit: Int) -> UnreadEvents? {
        guard var position = watch else { return nil }
        if position.session !== session { position = WatchPosition(session: session, sequence: 1) }
        defer { watch = position }
        for segment in sealed + [active].compactMap(\.self) where segment.session === session {
            guard position.sequence < segment.firstSequence &+ UInt64(segment.waiting) else { continue }
            let events = segment.memory.withBytes(in: 0..<segment.committed) {
                Self.copyUnread(of: segment, in: $0, at: &position, limit: limit)
            }
            if !events.frames.isEmpty { return events }
        }
        return nil
    }

    private static func copyUnread(
        of segment: CaptureSegment, in bytes: ByteView, at position: inout WatchPosition, limit: Int
    ) -> UnreadEvents {
        let first = max(position.sequence, segment.firstSequence)
        // A segment that was rewound begins with a later sequence than the position's.
        let isKnown =
            position.memory === segment.memory && position.sequence > segment.firstSequence
            && position.offset >= segment.consumed
        var sequence = isKnown ? first : segment.firstSequence
        var offset = isKnown ? position.offset : segment.consumed
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
        position.sequence = max(first, sequence)
        position.memory = segment.memory
        position.offset = offset
        let end = (start ?? 0) + (frames.last?.upperBound ?? 0)
        return UnreadEvents(
            source: .segment(firstSequence: first), bytes: bytes[(start ?? 0)..<end].array, frames: frames)
    }
}
