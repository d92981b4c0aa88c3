/// SipHash-2-4 by Aumasson and Bernstein, with a 128-bit result: short, keyed, and the same in every process.
enum SipHash {
    static func hash(_ bytes: UnsafeRawBufferPointer, key: (UInt64, UInt64)) -> EventKey {
        var v0 = key.0 ^ 0x736f_6d65_7073_6575
        var v1 = key.1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
        var v2 = key.0 ^ 0x6c79_6765_6e65_7261
        var v3 = key.1 ^ 0x7465_6462_7974_6573

        func rounds(_ count: Int) {
            for _ in 0..<count {
                v0 &+= v1
                v1 = rotate(v1, 13) ^ v0
                v0 = rotate(v0, 32)
                v2 &+= v3
                v3 = rotate(v3, 16) ^ v2
                v0 &+= v3
                v3 = rotate(v3, 21) ^ v0
                v2 &+= v1
                v1 = rotate(v1, 17) ^ v2
                v2 = rotate(v2, 32)
            }
        }

        let whole = bytes.count / 8 * 8
        for start in stride(from: 0, to: whole, by: 8) {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            v3 ^= word
            rounds(2)
            v0 ^= word
        }
        var last = UInt64(bytes.count & 0xff) << 56
        for index in whole..<bytes.count { last |= UInt64(bytes[index]) << UInt64(8 * (index - whole)) }
        v3 ^= last
        rounds(2)
        v0 ^= last
        v2 ^= 0xee
        rounds(4)
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        rounds(4)
        return EventKey(high: v0 ^ v1 ^ v2 ^ v3, low: low)
    }

    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
}
