/// The last events of one scenario, in a block of memory that may be a mapped file. A new event replaces the oldest ones.
///
/// An event stays whole until the header states that it is no longer in the ring, and an event is in the ring once all of its
/// bytes are written. So the file contains whole events also if the process is killed at any time.
///
/// Used under the capture's lock, or before it is shared.
struct EventRing: Sendable {
    let scenario: String
    let clientId: String
    let memory: SegmentMemory
    /// Random; also the base of the events' identities.
    let key: UInt64
    /// The end of the room for entries.
    private let end: Int
    /// The maximum number of bytes that an entry takes: a single event never replaces more than a quarter of the others, and can be dumped.
    private let maximumStride: Int
    /// The number of the oldest entry.
    private var first: UInt64 = 1
    private var count = 0
    /// The offset of the oldest entry.
    private var tail = RingHeader.bytes
    /// The offset of the next entry.
    private var head = RingHeader.bytes
    /// Where the entries end that are older than those at the beginning of the memory; nil if there are none.
    private var lapEnd: Int?
    /// When the oldest event was logged.
    private var oldestSeconds = Double.infinity
    /// The number and the offset of the next event that triggers read.
    private var unread: (number: UInt64, offset: Int) = (1, RingHeader.bytes)

    /// Creates an empty ring.
    /// - Parameters:
    ///   - memory: Memory that is larger than a header.
    ///   - maximumFrameBytes: The largest frame that can be dumped. Larger events are not kept.
    init(
        memory: SegmentMemory, scenario: String, clientId: String, maximumFrameBytes: Int = .max,
        key: UInt64 = .random(in: .min ... .max)
    ) {
        self.memory = memory
        self.scenario = scenario
        self.clientId = clientId
        self.key = key
        end = memory.count & ~(RingEntry.alignment - 1)
        maximumStride = min((end - RingHeader.bytes) / 4, maximumFrameBytes)
        RingHeader.write(.init(scenario: scenario, clientId: clientId, key: key, first: first), to: memory)
    }

    /// Appends an event and removes the ones that it replaces, and those before `oldest`. An event that is too large is ignored.
    /// - Parameters:
    ///   - seconds: When the event was logged, in seconds since 2001.
    ///   - identity: The identity that the event has in another ring; nil for a new event.
    @inline(__always)
    mutating func append(_ frame: EncodedFrame, seconds: Double, oldest: Double, identity: UInt64? = nil) {
        let stride = RingEntry.stride(ofLength: RingEntry.length(of: frame))
        guard stride <= maximumStride else { return }
        if oldestSeconds < oldest || !hasRoom(for: stride) { makeRoom(for: stride, oldest: oldest) }
        let number = first &+ UInt64(truncatingIfNeeded: count)
        memory.place(frame, inRingAt: head, number: number, identity: identity ?? key &+ number, key: key)
        if count == 0 { oldestSeconds = seconds }
        head &+= stride
        count &+= 1
    }

    @inline(__always)
    private func hasRoom(for stride: Int) -> Bool { stride <= (lapEnd == nil ? end : tail) &- head }

    @inline(never)
    private mutating func makeRoom(for stride: Int, oldest: Double) {
        let firstBefore = first
        while count > 0, oldestSeconds < oldest { removeOldest() }
        while !hasRoom(for: stride) {
            if lapEnd == nil {
                lapEnd = head
                head = RingHeader.bytes
            } else {
                removeOldest()
            }
        }
        // Before the removed entries are overwritten.
        if first != firstBefore { RingHeader.setFirst(first, in: memory) }
    }

    private mutating func removeOldest() {
        let length = Int(memory.load(UInt32.self, at: tail) & ~RingEntry.dumpedBit)
        let stride = RingEntry.stride(ofLength: length)
        // Another process of the user may have changed the file.
        guard length >= RingEntry.headerBytes, stride <= (lapEnd ?? head) - tail else { return removeAll() }
        tail += stride
        first &+= 1
        count -= 1
        if tail == lapEnd {
            tail = RingHeader.bytes
            lapEnd = nil
        }
        guard count > 0 else { return removeAll() }
        let seconds = memory.load(Double.self, at: min(tail + RingEntry.headerBytes + 1, memory.count - 8))
        // Without a time, the event stays until a later one replaces it.
        oldestSeconds = seconds.isNaN ? .infinity : seconds
    }

    private mutating func removeAll() {
        first &+= UInt64(truncatingIfNeeded: count)
        count = 0
        tail = RingHeader.bytes
        head = RingHeader.bytes
        lapEnd = nil
        oldestSeconds = .infinity
    }
}

extension EventRing {
    /// Marks all events as read by triggers.
    mutating func skipUnread() { unread = (first &+ UInt64(truncatingIfNeeded: count), head) }

    /// Copies the next events that triggers have not read, about as many as the limit in bytes.
    mutating func takeUnread(limit: Int) -> UnreadEvents? {
        let end = first &+ UInt64(truncatingIfNeeded: count)
        guard unread.number < end else { return nil }
        let missed = first > unread.number ? first &- unread.number : 0
        if unread.number <= first { unread = (first, tail) }
        var copy: [UInt8] = []
        var frames: [Range<Int>] = []
        while unread.number < end, copy.count < limit {
            if unread.offset == lapEnd { unread.offset = RingHeader.bytes }
            let length = Int(memory.load(UInt32.self, at: unread.offset) & ~RingEntry.dumpedBit)
            // Another process of the user may have changed the file.
            guard length >= RingEntry.headerBytes, length <= self.end - unread.offset else {
                skipUnread()
                break
            }
            // The entry's content, after its identity, has the layout of a frame's.
            let frame = (unread.offset + RingEntry.headerBytes - Frame.headerBytes)..<(unread.offset + length)
            frames.append(copy.count..<(copy.count + frame.count))
            copy += memory.withBytes(in: frame) { $0.array }
            unread.number &+= 1
            unread.offset += RingEntry.stride(ofLength: length)
        }
        return UnreadEvents(source: .ring, bytes: copy, frames: frames, missed: missed)
    }

    /// The ring's bytes, which are decoded without the capture's lock.
    struct Snapshot: Sendable {
        let bytes: [UInt8]
        let first: UInt64
        let key: UInt64

        /// The events in the ring.
        var events: RecordedEvents {
            bytes.withByteView { view in
                RecordedEvents(bytes: bytes, entries: RecordedEvents.entries(in: view, first: first, key: key))
            }
        }
    }

    /// A copy of the ring.
    var snapshot: Snapshot {
        Snapshot(bytes: memory.withBytes(in: 0..<memory.count) { $0.array }, first: first, key: key)
    }

    /// A copy of the events in the ring.
    var events: RecordedEvents { snapshot.events }

    /// Appends the events of other rings, by time.
    mutating func append(_ sources: [RecordedEvents]) {
        for (index, entry) in RecordedEvents.merged(sources) {
            let content = entry.content
            sources[index].bytes.withByteView { bytes in
                // A frame's content follows its header, which is not read.
                let frame = EncodedFrame(bytes[(content.lowerBound - Frame.headerBytes)..<content.upperBound])
                append(frame, seconds: entry.seconds, oldest: -.infinity, identity: entry.identity)
            }
        }
    }

    /// Marks an event as dumped, also for a process that reads the file later. Has no effect on an event that a later one has
    /// replaced since it was read.
    /// - Parameter key: The key of the ring that the event was read from.
    func markDumped(_ entry: RingEntry, of key: UInt64) {
        guard key == self.key, entry.number >= first else { return }
        let length = UInt32(truncatingIfNeeded: entry.content.upperBound - entry.offset)
        memory.publish(length | RingEntry.dumpedBit, at: entry.offset)
    }
}
