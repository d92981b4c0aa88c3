import TelemetryModels
import TelemetrySystem

/// The session that events belong to.
final class Session: Sendable {
    let id: String
    /// The device of a session of another process; nil for this process's own.
    private let recordedDevice: TelemetryDeviceInfo?

    init(id: String, device: TelemetryDeviceInfo? = nil) {
        self.id = id
        recordedDevice = device
    }

    var device: TelemetryDeviceInfo { recordedDevice ?? .current }
}

/// Consecutive frames in one block of memory: appended at its end, delivered from its beginning.
struct CaptureSegment: Sendable {
    static let minimumBytes = 16 << 10
    static let maximumBytes = 512 << 10

    /// Where frames begin in a segment that is begun without a spool: it leaves room for a file's header and a definition, which
    /// precede the frames when the segment is copied to a file.
    static let reservedBytes = 2_560

    private(set) var memory: SegmentMemory
    let session: Session
    /// The offset of the first frame.
    let start: Int
    /// The sequence of the event at `consumed`; the events after it have consecutive sequences.
    var firstSequence: UInt64
    /// All frames before this offset are delivered or dropped.
    var consumed: Int
    /// All frames before this offset are written.
    var committed: Int
    /// The number of events between `consumed` and `committed`.
    var waiting = 0
    /// The client of the event at `consumed`, unless there is a definition at `consumed`.
    var clientAtConsumed: String?
    /// No event at or after `consumed` was logged before this time; nil if that is unknown.
    var begun: BootTime?
    /// The version of the capture's client that the last definition states. Before the first definition it is 0, which means no
    /// client, or, after a header, ``noClientVersion``.
    var clientVersion: UInt64
    /// A header is always followed by a definition, which also states since when the events were logged.
    private static let noClientVersion = UInt64.max

    init(memory: SegmentMemory, session: Session, start: Int, firstSequence: UInt64, begun: BootTime? = nil) {
        self.memory = memory
        self.begun = begun
        clientVersion = Self.clientVersion(start: start)
        self.session = session
        self.start = start
        self.firstSequence = firstSequence
        consumed = start
        committed = start
        terminate()
    }

    /// Whether the memory has the layout of a file.
    var hasHeader: Bool { start != Self.reservedBytes }

    private static func clientVersion(start: Int) -> UInt64 { start == reservedBytes ? 0 : noClientVersion }

    @inline(__always)
    var free: Int { memory.count &- committed &- Frame.terminatorBytes }

    @inline(__always)
    private func terminate() {
        memory.store(UInt32(0), at: committed)
    }

    /// Appends a frame.
    mutating func append(_ frame: EncodedFrame, sequence: UInt64) {
        memory.place(frame, sequence: sequence, at: committed)
        committed += frame.count
    }

    /// Copies the segment, which has a header, to a new file at the same offsets.
    mutating func move(to file: SegmentMemory) {
        memory.withBytes(in: 8..<(committed + Frame.terminatorBytes)) { file.copy($0, to: 8) }
        file.publish(SegmentHeader.magic, at: 0)
        memory = file
    }

    /// Removes the delivered frames, so that the memory is used again. Called only if no event waits.
    mutating func rewind(firstSequence: UInt64, at now: BootTime) {
        committed = start
        memory.publish(UInt32(0), at: start)
        if hasHeader {
            SegmentHeader.setConsumed(start, in: memory)
            SegmentHeader.setFirstSequence(firstSequence, in: memory)
        }
        consumed = start
        waiting = 0
        self.firstSequence = firstSequence
        clientVersion = Self.clientVersion(start: start)
        clientAtConsumed = nil
        begun = now
    }

    /// Appends a frame from ``FrameEncoding/definition(clientId:begun:)``.
    mutating func appendDefinition(_ definition: [UInt8]) {
        // The array keeps its bytes during the call.
        unsafe definition.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            append(unsafe EncodedFrame(base, count: buffer.count), sequence: Frame.definitionSequence)
        }
    }

    /// Appends whole frames, the first of which has this segment's first event; all become part of the segment at once.
    mutating func appendFrames(_ frames: ByteView, events: Int) {
        guard frames.count >= Frame.headerBytes, let length = frames.load(UInt32.self, at: 0) else { return }
        memory.store(UInt32(0), at: committed + frames.count)
        memory.copy(frames[4..<frames.count], to: committed + 4)
        memory.publish(length, at: committed)
        committed += frames.count
        waiting += events
        consumed = start
    }

    mutating func consume(to offset: Int, events: Int, clientId: String?) {
        consumed = offset
        if hasHeader { SegmentHeader.setConsumed(offset, in: memory) }
        waiting -= events
        // A file may contain any number.
        firstSequence &+= UInt64(events)
        clientAtConsumed = clientId
    }

    /// Writes the header, the frames and the end of the segment to a file.
    func write(to file: OpenFile) throws(FileError) {
        try memory.withBytes(in: 0..<(committed + Frame.terminatorBytes)) { bytes throws(FileError) in
            // The file reads the bytes during the call only.
            try unsafe bytes.withUnsafeBytes { bytes throws(FileError) in try unsafe file.write(bytes) }
        }
    }
}
