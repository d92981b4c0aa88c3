/// Where the next frame goes: the few fields of the active segment that the fast path needs.
struct WriteCursor {
    /// The segment's memory, which ``CaptureState`` keeps alive; nil if there is no segment to write to.
    private var memory: SharedMemory<UInt8>?
    private(set) var committed = 0
    /// The end of the room for frames, before the segment's end marker; less than `committed` if there is no segment.
    private var limit = -1
    private(set) var waiting = 0
    private var clientVersion: UInt64 = 0

    /// Creates a cursor that accepts no frame.
    init() {}

    init(_ segment: CaptureSegment) {
        memory = segment.memory.bytes
        committed = segment.committed
        limit = segment.memory.count - Frame.terminatorBytes
        waiting = segment.waiting
        clientVersion = segment.clientVersion
    }

    /// Whether the segment has room for an event's frame of `count` bytes and states this client.
    @inline(__always)
    func accepts(_ count: Int, clientVersion: UInt64) -> Bool {
        committed &+ count <= limit && self.clientVersion == clientVersion
    }

    /// Appends an event's frame. Called only after ``accepts(_:clientVersion:)`` returned true.
    @inline(__always)
    mutating func append(_ frame: EncodedFrame, sequence: UInt64) {
        // `accepts` compared the frame's end with `limit`, which it exceeds without memory. The segment is alive: the caller
        // holds the lock of the state that contains it.
        let place = unsafe UnsafeMutableRawPointer(memory.unsafelyUnwrapped.start) + committed
        unsafe frame.place(at: place, sequence: sequence)
        committed &+= frame.count
        waiting &+= 1
    }
}
