import Synchronization
import TelemetryModels

/// What a segment's file begins with.
///
///     0  UInt64  magic number; written last, so that a file without it was never begun
///     8  UInt32  where the frames begin
///    12  UInt32  in front of which place everything is delivered
///    16  UInt64  the sequence of the first event
///    24  UInt64  which segment of its owner it is, in the order of their events
///    32  UInt64  checksum of the texts and of where the frames begin
///    40  …       texts: the session and its device
enum SegmentHeader {
    static let magic: UInt64 = 0x324C_4F4F_5053_544C  // "LTSPOOL2"
    private static let textsStart = 40
    /// Longer texts of the device are cut, so that the header always leaves room for events.
    private static let textLimit = 200

    /// The most bytes that a header has: six texts, each with its length.
    static let maximumBytes = textsStart + 6 * (textLimit + 2) + 4

    struct Content {
        let session: Session
        let start: Int
        let consumed: Int
        let firstSequence: UInt64
        let ordinal: UInt64
    }

    /// Writes the header of a fresh segment and returns where its frames begin.
    static func write(to base: UnsafeMutableRawPointer, session: Session, firstSequence: UInt64, ordinal: UInt64) -> Int {
        base.storeBytes(of: 0, as: UInt64.self)
        let device = session.device
        var writer = FrameWriter(base, at: textsStart)
        for text in [
            session.id, device.deviceType, device.deviceName, device.deviceModel, device.osVersion, device.appVersion,
        ] { writer.write(text: TextLimits.cut(text, to: textLimit)) }
        let start = Frame.pad(&writer)
        base.storeBytes(of: UInt32(start), toByteOffset: 8, as: UInt32.self)
        base.storeBytes(of: ordinal, toByteOffset: 24, as: UInt64.self)
        base.storeBytes(of: checksum(base, start: start), toByteOffset: 32, as: UInt64.self)
        base.storeBytes(of: 0, toByteOffset: start, as: UInt32.self)
        setConsumed(start, at: base)
        setFirstSequence(firstSequence, at: base)
        word(at: base, offset: 0).pointee.store(magic, ordering: .releasing)
        return start
    }

    static func setConsumed(_ offset: Int, at base: UnsafeMutableRawPointer) {
        (base + 12).assumingMemoryBound(to: Atomic<UInt32>.self).pointee
            .store(UInt32(truncatingIfNeeded: offset), ordering: .releasing)
    }

    static func setFirstSequence(_ sequence: UInt64, at base: UnsafeMutableRawPointer) {
        word(at: base, offset: 16).pointee.store(sequence, ordering: .releasing)
    }

    enum Reading {
        case content(Content)
        /// The file was never begun.
        case empty
        case corrupt
    }

    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        guard bytes.count >= textsStart, let base = bytes.baseAddress else {
            return bytes.allSatisfy { $0 == 0 } ? .empty : .corrupt
        }
        let found = base.loadUnaligned(as: UInt64.self)
        if found == 0 { return .empty }
        let start = Int(truncatingIfNeeded: base.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        guard found == magic, start >= textsStart, start & 3 == 0, start <= bytes.count - Frame.terminatorBytes,
            base.loadUnaligned(fromByteOffset: 32, as: UInt64.self) == checksum(base, start: start)
        else { return .corrupt }
        var reader = FrameReader(UnsafeRawBufferPointer(rebasing: bytes[..<start]), at: textsStart)
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
                consumed: Int(truncatingIfNeeded: base.loadUnaligned(fromByteOffset: 12, as: UInt32.self)),
                firstSequence: base.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                ordinal: base.loadUnaligned(fromByteOffset: 24, as: UInt64.self)))
    }

    private static func checksum(_ base: UnsafeRawPointer, start: Int) -> UInt64 {
        ByteHash.hash(base + textsStart, count: start - textsStart, seed: Frame.checksumSeed)
    }

    private static func word(at base: UnsafeMutableRawPointer, offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
