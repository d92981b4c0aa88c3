import TelemetryModels

/// The layout of an event in a ring, and an event that was found there.
///
///     0  UInt32  length without the padding at the end; the highest bit is set once the event was dumped
///     4  UInt32  checksum of the content, the number, the identity and the ring's key
///     8  UInt64  number: the events of a ring have consecutive numbers
///    16  UInt64  identity: the same in every ring that the event is copied to
///    24  …       content: the bytes of the event's frame after the frame's header
///
/// Entries begin at multiples of ``alignment``.
struct RingEntry: Sendable, Equatable {
    static let headerBytes = 24
    static let alignment = 8
    static let dumpedBit: UInt32 = 1 << 31
    /// Flags and time, which the content always has.
    private static let leastContentBytes = 12

    /// The offset in the ring's memory.
    let offset: Int
    let number: UInt64
    let identity: UInt64
    /// The offsets of the content in the ring's memory.
    let content: Range<Int>
    /// When the event was logged, in seconds since 2001.
    let seconds: Double
    let level: TelemetryLogLevel
    let isDumped: Bool

    /// The number of bytes from an entry of this length to the next one.
    @inline(__always)
    static func stride(ofLength length: Int) -> Int { (length &+ (alignment - 1)) & ~(alignment - 1) }

    /// The length of a frame's entry.
    @inline(__always)
    static func length(of frame: EncodedFrame) -> Int { frame.count &- Frame.headerBytes &+ headerBytes }

    @inline(__always)
    static func checksum(content: UInt64, number: UInt64, identity: UInt64, key: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ByteHash.mix(ByteHash.mix(content, number ^ key), identity))
    }

    /// Reads the entry at an offset; nil if there is no whole entry with at least the number `first`.
    init?(at offset: Int, in bytes: ByteView, first: UInt64, key: UInt64) {
        guard let stored = bytes.load(UInt32.self, at: offset) else { return nil }
        let length = Int(stored & ~Self.dumpedBit)
        guard length >= Self.headerBytes + Self.leastContentBytes, length <= bytes.count - offset,
            let checksum = bytes.load(UInt32.self, at: offset + 4), let number = bytes.load(UInt64.self, at: offset + 8),
            number >= first, let identity = bytes.load(UInt64.self, at: offset + 16)
        else { return nil }
        let content = (offset + Self.headerBytes)..<(offset + length)
        let hash = bytes[content].hash(seed: Frame.checksumSeed)
        guard Self.checksum(content: hash, number: number, identity: identity, key: key) == checksum,
            let flags = bytes.load(UInt8.self, at: content.lowerBound),
            let seconds = bytes.load(Double.self, at: content.lowerBound + 1)
        else { return nil }
        self.offset = offset
        self.number = number
        self.identity = identity
        self.content = content
        self.seconds = seconds
        level = Frame.Flags(rawValue: flags).contains(.diagnostic) ? .diagnostic : .info
        isDumped = stored & Self.dumpedBit != 0
    }
}
