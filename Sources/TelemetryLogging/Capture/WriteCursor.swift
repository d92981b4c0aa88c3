/// Where the next frame goes: what the fast path needs of the active segment, in a few words.
struct WriteCursor {
    private var address: UInt = 0
    private(set) var committed = 0
    /// Behind it only the terminator has room; before `committed` where there is no segment to write to.
    private var limit = -1
    private(set) var waiting = 0
    private var clientVersion: UInt64 = 0

    /// Takes no frame.
    init() {}

    init(_ segment: CaptureSegment) {
        address = UInt(bitPattern: segment.memory.base)
        committed = segment.committed
        limit = segment.memory.count - Frame.terminatorBytes
        waiting = segment.waiting
        clientVersion = segment.clientVersion
    }

    /// Whether an event's frame of so many bytes, with this client, has its place here.
    @inline(__always)
    func takes(_ count: Int, clientVersion: UInt64) -> Bool {
        committed &+ count <= limit && self.clientVersion == clientVersion
    }

    /// Appends an event's frame; only after ``takes(_:clientVersion:)``.
    @inline(__always)
    mutating func append(_ frame: UnsafeMutableRawPointer, count: Int, bodyChecksum: UInt64, sequence: UInt64) {
        let place = UnsafeMutableRawPointer(bitPattern: address &+ UInt(bitPattern: committed)).unsafelyUnwrapped
        Frame.place(frame, count: count, bodyChecksum: bodyChecksum, sequence: sequence, at: place)
        committed &+= count
        waiting &+= 1
    }
}
