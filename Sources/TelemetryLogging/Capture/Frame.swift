import Synchronization

/// The layout of a segment's content: a sequence of frames.
///
///     0  UInt32  length of the whole frame; 0 at the end of the segment
///     4  UInt32  checksum of the bytes after it, and of the event's sequence
///     8  UInt8   flags
///     9  …       an event: seconds since 2001 (Double), thread, then strings, each after its length
///
/// A frame with the flag `definition` is not an event: it states the client of the events after it. The events of a segment have
/// consecutive sequences, so only the first event's sequence is stored. Thread and lengths are stored as seven bits per byte,
/// the lowest first; the highest bit of a byte is set if more bytes follow.
enum Frame {
    static let headerBytes = 8
    /// The maximum number of bytes that flags, time and thread take.
    static let fixedEventBytes = 1 + 8 + 10
    /// The bytes of a dumped event's identity.
    static let identityBytes = 8
    /// A segment always has room for the length 0 after its last frame.
    static let terminatorBytes = 4
    /// The sequence that a definition's checksum is computed with.
    static let definitionSequence: UInt64 = 0
    static let checksumSeed: UInt64 = 0x4C69_7665_5465_6C65

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let diagnostic = Flags(rawValue: 1)
        static let scenario = Flags(rawValue: 2)
        static let property = Flags(rawValue: 4)
        static let attributes = Flags(rawValue: 8)
        /// The event was dumped from a ring; the frame's last eight bytes are its identity.
        static let dumped = Flags(rawValue: 16)
        static let definition = Flags(rawValue: 128)
    }

    /// Pads the frame to a multiple of four bytes, which aligns the next frame's length, and returns the frame's length.
    @inline(__always)
    static func pad(_ writer: inout FrameWriter) -> Int {
        while writer.offset & 3 != 0 { writer.write(UInt8(0)) }
        return writer.offset
    }

    /// The checksum of a frame's bytes after the header; computed before the sequence is known.
    @inline(__always)
    static func checksum(of body: UnsafeRawPointer, count: Int) -> UInt64 {
        // The caller provides `count` bytes.
        unsafe ByteHash.hash(body, count: count, seed: checksumSeed)
    }

    @inline(__always)
    static func checksum(_ body: UInt64, sequence: UInt64) -> UInt32 {
        // The lower half depends on all bits: mixing folds the upper half into it.
        UInt32(truncatingIfNeeded: ByteHash.mix(body, sequence))
    }

    /// Stores a frame's length after all other bytes of the frame, which makes the frame part of the segment.
    /// - Parameter place: Memory of a segment, aligned to 4.
    @inline(__always)
    static func publish(length: UInt32, at place: UnsafeMutableRawPointer) {
        // The caller provides the memory. Lengths of published frames are not accessed in other ways at the same time.
        unsafe place.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.store(length, ordering: .releasing)
    }
}
