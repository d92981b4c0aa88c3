/// A hash over bytes, eight at a time, for tables and for detecting torn frames. It does not resist an adversary who knows the
/// seed.
///
/// Each word is multiplied into the state, whose upper half is folded down, so that every bit of the input reaches every bit of
/// the result after two words.
enum ByteHash {
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    @inline(__always)
    static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* factor
        return product ^ (product >> 32)
    }

    @inline(__always)
    static func hash(_ bytes: UnsafeRawPointer, count: Int, seed: UInt64) -> UInt64 {
        // All reads are within `count` bytes, which the caller provides.
        var state = mix(seed, UInt64(truncatingIfNeeded: count))
        var offset = 0
        while offset &+ 8 <= count {
            state = unsafe mix(state, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        return count & 7 == 0 ? state : unsafe mix(state, tail(bytes + offset, count: count & 7))
    }

    /// The hash of a name: one wide multiplication for up to 16 bytes.
    @inline(__always)
    static func hash(name bytes: UnsafeRawPointer, count: Int, seed: UInt64) -> UInt64 {
        // All reads are within `count` bytes, which the caller provides.
        if count > 16 { return unsafe hash(bytes, count: count, seed: seed) }
        let isLong = count >= 8
        let low = isLong ? unsafe bytes.loadUnaligned(as: UInt64.self) : 0
        let rest = isLong ? count &- 8 : count
        let high =
            rest == 8
            ? unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) : unsafe tail(bytes + (count &- rest), count: rest)
        let product = (low ^ seed).multipliedFullWidth(by: high ^ factor ^ UInt64(truncatingIfNeeded: count) << 56)
        return product.high ^ product.low
    }

    /// Up to seven bytes as a number. No read crosses a word: a text that was just stored word by word is read without waiting
    /// for the stores.
    @inline(__always)
    private static func tail(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
        // All reads are within `count` bytes, which the caller provides.
        var word: UInt64 = 0
        var offset = 0
        if count & 4 != 0 {
            word = unsafe UInt64(bytes.loadUnaligned(as: UInt32.self))
            offset = 4
        }
        if count & 2 != 0 {
            word = unsafe word << 16 | UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            offset &+= 2
        }
        if count & 1 != 0 { word = unsafe word << 8 | UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt8.self)) }
        return word
    }

    /// Whether two byte sequences are equal. For short ones, for which a call of the C library costs more than the comparison.
    @inline(__always)
    static func areEqual(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, count: Int) -> Bool {
        // All reads are within `count` bytes, which the caller provides.
        var offset = 0
        while offset &+ 8 <= count {
            if unsafe first.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != second.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            {
                return false
            }
            offset &+= 8
        }
        return unsafe tail(first + offset, count: count & 7) == tail(second + offset, count: count & 7)
    }

    @inline(__always)
    static func isASCII(_ bytes: UnsafeRawPointer, count: Int) -> Bool {
        // All reads are within `count` bytes, which the caller provides.
        var seen: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= count {
            seen |= unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        return unsafe (seen | tail(bytes + offset, count: count & 7)) & 0x8080_8080_8080_8080 == 0
    }
}
