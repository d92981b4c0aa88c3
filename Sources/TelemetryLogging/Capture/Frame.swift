import Synchronization

/// The layout of what a segment holds: frames one after another, each with its length and a checksum in front.
///
///     0  UInt32  length of the whole frame; 0 where the segment ends
///     4  UInt32  checksum of what follows, and of the event's sequence
///     8  UInt8   flags
///     9  …       an event: seconds since 2001 (Double), thread, then texts, each after its length
///
/// A frame whose flags have the bit `definition` is no event but says whose the events behind it are. The events of a segment
/// have consecutive sequences, so that only the first one's is written down. Thread and lengths have seven bits a byte, the
/// lowest first; the highest bit says that more follow.
enum Frame {
    static let headerBytes = 8
    /// The most that flags, time and thread take.
    static let fixedEventBytes = 1 + 8 + 10
    /// A segment always has room for the length 0 behind its last frame.
    static let terminatorBytes = 4
    /// What stands for the sequence in a definition's checksum.
    static let definitionSequence: UInt64 = 0
    static let checksumSeed: UInt64 = 0x4C69_7665_5465_6C65

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let diagnostic = Flags(rawValue: 1)
        static let scenario = Flags(rawValue: 2)
        static let property = Flags(rawValue: 4)
        static let attributes = Flags(rawValue: 8)
        static let definition = Flags(rawValue: 128)
    }

    /// Fills the frame up to a multiple of four, where the next one's length can be stored at once, and returns its length.
    @inline(__always)
    static func pad(_ writer: inout FrameWriter) -> Int {
        while writer.offset & 3 != 0 { writer.write(UInt8(0)) }
        return writer.offset
    }

    /// The checksum of everything behind it, which may be taken before the sequence is known.
    @inline(__always)
    static func checksum(of body: UnsafeRawPointer, count: Int) -> UInt64 {
        ByteHash.hash(body, count: count, seed: checksumSeed)
    }

    @inline(__always)
    static func checksum(_ body: UInt64, sequence: UInt64) -> UInt32 {
        // The lower half depends on all bits: mixing folds the upper half into it.
        UInt32(truncatingIfNeeded: ByteHash.mix(body, sequence))
    }

    /// Puts a frame whose body was written and summed elsewhere into a segment. The length is written last: until then the
    /// segment ends in front of the frame, whenever the process dies.
    @inline(__always)
    static func place(
        _ frame: UnsafeMutableRawPointer, count: Int, bodyChecksum: UInt64, sequence: UInt64, at place: UnsafeMutableRawPointer
    ) {
        frame.storeBytes(of: checksum(bodyChecksum, sequence: sequence), toByteOffset: 4, as: UInt32.self)
        (place + count).storeBytes(of: 0, as: UInt32.self)
        (place + 4).copyMemory(from: frame + 4, byteCount: count &- 4)
        publish(length: UInt32(truncatingIfNeeded: count), at: place)
    }

    /// Makes a frame count: what was written before is in memory before the length is.
    @inline(__always)
    static func publish(length: UInt32, at place: UnsafeMutableRawPointer) {
        place.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.store(length, ordering: .releasing)
    }
}
