/// An incremental 64-bit xxHash with seed 0, equal to that of `xxh64sum`.
///
/// It is not cryptographic, but sufficient to detect changes of a file, and fast even without optimisation.
public struct XXH64: Sendable {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    private var lanes: (UInt64, UInt64, UInt64, UInt64) = (prime1 &+ prime2, prime2, 0, 0 &- prime1)
    /// The buffered bytes, fewer than 32.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    public init() {}

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            let taken = min(32 - rest.count, bytes.count)
            rest += bytes[..<taken]
            guard rest.count == 32 else { return }
            let filled = rest
            filled.withUnsafeBytes { consume($0, from: 0, to: 32) }
            rest.removeAll(keepingCapacity: true)
            start = taken
        }
        let end = start + (bytes.count - start) / 32 * 32
        consume(bytes, from: start, to: end)
        rest += bytes[end...]
    }

    /// The digest of all bytes so far, as 16 hexadecimal digits.
    public var digest: String {
        var hash: UInt64
        if length >= 32 {
            hash = Self.rotate(lanes.0, 1) &+ Self.rotate(lanes.1, 7) &+ Self.rotate(lanes.2, 12) &+ Self.rotate(lanes.3, 18)
            for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
                hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
            }
        } else {
            hash = Self.prime5
        }
        hash &+= length
        hash = rest.withUnsafeBytes { Self.finish(hash, $0) }
        hash = (hash ^ (hash >> 33)) &* Self.prime2
        hash = (hash ^ (hash >> 29)) &* Self.prime3
        hash ^= hash >> 32
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private mutating func consume(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) {
        guard let base = bytes.baseAddress else { return }
        var (lane0, lane1, lane2, lane3) = lanes
        var position = start
        while position < end {
            // Unrolled, because calls are expensive in unoptimised builds.
            lane0 &+= UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self)) &* Self.prime2
            lane0 = ((lane0 << 31) | (lane0 >> 33)) &* Self.prime1
            lane1 &+= UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)) &* Self.prime2
            lane1 = ((lane1 << 31) | (lane1 >> 33)) &* Self.prime1
            lane2 &+= UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position + 16, as: UInt64.self)) &* Self.prime2
            lane2 = ((lane2 << 31) | (lane2 >> 33)) &* Self.prime1
            lane3 &+= UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position + 24, as: UInt64.self)) &* Self.prime2
            lane3 = ((lane3 << 31) | (lane3 >> 33)) &* Self.prime1
            position += 32
        }
        lanes = (lane0, lane1, lane2, lane3)
    }

    private static func finish(_ start: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = start
        var position = 0
        while position + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            hash = rotate(hash ^ round(0, word), 27) &* prime1 &+ prime4
            position += 8
        }
        if position + 4 <= bytes.count {
            let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            hash = rotate(hash ^ (UInt64(word) &* prime1), 23) &* prime2 &+ prime3
            position += 4
        }
        for byte in bytes[position...] {
            hash = rotate(hash ^ (UInt64(byte) &* prime5), 11) &* prime1
        }
        return hash
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotate(lane &+ word &* prime2, 31) &* prime1
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { (value << count) | (value >> (64 - count)) }
}
