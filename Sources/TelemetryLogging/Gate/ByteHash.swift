/// A hash over bytes, eight at a time: for tables and for noticing torn frames, not against an adversary who knows the seed.
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
        var state = mix(seed, UInt64(truncatingIfNeeded: count))
        if count >= 8 {
            var offset = 0
            while offset < count &- 8 {
                state = mix(state, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset &+= 8
            }
            // The last word overlaps the one before it where the count is no multiple of eight.
            return mix(state, bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
        }
        if count >= 4 {
            let low = bytes.loadUnaligned(as: UInt32.self)
            let high = bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            return mix(state, UInt64(low) << 32 | UInt64(high))
        }
        var word: UInt64 = 0
        for offset in 0..<count {
            word = word << 8 | UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt8.self))
        }
        return mix(state, word)
    }
}
