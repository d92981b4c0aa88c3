import TelemetryModels

/// The session that events belong to.
final class Session: Sendable {
    let id: String
    /// Nil while it is this process's own.
    private let recordedDevice: TelemetryDeviceInfo?

    init(id: String, device: TelemetryDeviceInfo? = nil) {
        self.id = id
        recordedDevice = device
    }

    var device: TelemetryDeviceInfo { recordedDevice ?? .current }
}

/// A run of frames in one piece of memory: written at its end, delivered from its beginning.
struct CaptureSegment: Sendable {
    static let minimumBytes = 16 << 10
    static let maximumBytes = 512 << 10

    /// Where frames begin in memory of the process: what a file begins with, and whose the events are, has room when the
    /// segment is copied to a file.
    static let reservedBytes = 2_560

    let memory: SegmentMemory
    let session: Session
    /// Where the first frame goes.
    let start: Int
    /// The sequence of the event at `consumed`; those behind it follow one another.
    var firstSequence: UInt64
    /// Everything in front of it is delivered or dropped.
    var consumed: Int
    /// Everything in front of it is written.
    var committed: Int
    /// How many events lie between `consumed` and `committed`.
    var waiting = 0
    /// Whose the event at `consumed` is, unless a definition there says otherwise.
    var clientAtConsumed: String?
    /// No event at or behind `consumed` was logged before; nil where that is not known.
    var begun: BootTime?
    /// Which of the capture's client versions the last definition states; before the first one 0, no client, or, in a file,
    /// ``noClientVersion``.
    var clientVersion: UInt64
    /// A file begins with a definition in any case: it says since when its events were logged.
    private static let noClientVersion = UInt64.max

    init(memory: SegmentMemory, session: Session, start: Int, firstSequence: UInt64, begun: BootTime? = nil) {
        self.memory = memory
        self.begun = begun
        clientVersion = memory.isMapped ? Self.noClientVersion : 0
        self.session = session
        self.start = start
        self.firstSequence = firstSequence
        consumed = start
        committed = start
        terminate()
    }

    @inline(__always)
    var free: Int { memory.count &- committed &- Frame.terminatorBytes }

    @inline(__always)
    private func terminate() {
        memory.base.storeBytes(of: 0, toByteOffset: committed, as: UInt32.self)
    }

    /// Appends a frame whose body was written and summed elsewhere.
    mutating func append(_ frame: UnsafeMutableRawPointer, count: Int, bodyChecksum: UInt64, sequence: UInt64) {
        Frame.place(frame, count: count, bodyChecksum: bodyChecksum, sequence: sequence, at: memory.base + committed)
        committed += count
    }

    /// Forgets what was delivered, so that the memory serves again. Only where nothing waits.
    mutating func rewind(firstSequence: UInt64, at now: BootTime) {
        committed = start
        Frame.publish(length: 0, at: memory.base + start)
        if memory.isMapped {
            SegmentHeader.setConsumed(start, at: memory.base)
            SegmentHeader.setFirstSequence(firstSequence, at: memory.base)
        }
        consumed = start
        waiting = 0
        self.firstSequence = firstSequence
        clientVersion = memory.isMapped ? Self.noClientVersion : 0
        clientAtConsumed = nil
        begun = now
    }
}
