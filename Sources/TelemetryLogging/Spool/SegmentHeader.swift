import Synchronization
import TelemetryModels

/// The header of a segment's file.
///
///     0  UInt64  magic number; written last: a file without it has no header yet
///     8  UInt32  where the frames begin
///    12  UInt32  the offset before which all frames are delivered
///    16  UInt64  the sequence of the first event
///    24  UInt64  the ordinal of the segment among its owner's, in the order of their events
///    32  UInt64  checksum of the strings and of where the frames begin
///    40  …       strings: the session and its device
enum SegmentHeader {
    static let magic: UInt64 = 0x324C_4F4F_5053_544C  // "LTSPOOL2"
    private static let textsStart = 40
    /// The maximum number of bytes of a text; longer ones are truncated, so that the header always leaves room for events.
    private static let textLimit = 200

    /// The maximum number of bytes that a header has: six strings, each with its length.
    static let maximumBytes = textsStart + 6 * (textLimit + 2) + 4

    struct Content {
        let session: Session
        let start: Int
        let consumed: Int
        let firstSequence: UInt64
        let ordinal: UInt64
    }

    /// Writes the header of a new segment and returns the offset of its first frame.
    static func write(to memory: SegmentMemory, session: Session, firstSequence: UInt64, ordinal: UInt64) -> Int {
        memory.store(UInt64(0), at: 0)
        let device = session.device
        // Padding is relative to a start that is a multiple of 4.
        let texts = FrameWriter.bytes(capacity: maximumBytes - textsStart) { writer in
            for text in [
                session.id, device.deviceType, device.deviceName, device.deviceModel, device.osVersion, device.appVersion,
            ] { writer.write(text: TextLimits.cut(text, to: textLimit)) }
            _ = Frame.pad(&writer)
        }
        let start = textsStart + texts.count
        memory.store(UInt32(start), at: 8)
        memory.store(ordinal, at: 24)
        texts.withByteView {
            memory.store($0.hash(seed: Frame.checksumSeed), at: 32)
            memory.copy($0, to: textsStart)
        }
        memory.store(UInt32(0), at: start)
        setConsumed(start, in: memory)
        setFirstSequence(firstSequence, in: memory)
        memory.publish(magic, at: 0)
        return start
    }

    static func setConsumed(_ offset: Int, in memory: SegmentMemory) {
        memory.publish(UInt32(truncatingIfNeeded: offset), at: 12)
    }

    static func setFirstSequence(_ sequence: UInt64, in memory: SegmentMemory) { memory.publish(sequence, at: 16) }

    static func read(_ bytes: ByteView) -> FileReading<Content> {
        guard bytes.count >= textsStart, let found = bytes.load(UInt64.self, at: 0),
            let storedStart = bytes.load(UInt32.self, at: 8), let consumed = bytes.load(UInt32.self, at: 12),
            let firstSequence = bytes.load(UInt64.self, at: 16), let ordinal = bytes.load(UInt64.self, at: 24),
            let checksum = bytes.load(UInt64.self, at: 32)
        else { return bytes.areZero ? .empty : .corrupt }
        if found == 0 { return .empty }
        let start = Int(clamping: storedStart)
        guard found == magic, start >= textsStart, start & 3 == 0, start <= bytes.count - Frame.terminatorBytes,
            checksum == bytes[textsStart..<start].hash(seed: Frame.checksumSeed)
        else { return .corrupt }
        var reader = FrameReader(bytes[0..<start], at: textsStart)
        var texts: [String] = []
        for _ in 0..<6 {
            guard let text = reader.readText() else { return .corrupt }
            texts.append(text)
        }
        let device = TelemetryDeviceInfo(
            deviceType: texts[1], deviceName: texts[2], deviceModel: texts[3], osVersion: texts[4], appVersion: texts[5])
        return .content(
            Content(
                session: Session(id: texts[0], device: device), start: start,
                consumed: Int(clamping: consumed), firstSequence: firstSequence, ordinal: ordinal))
    }
}
