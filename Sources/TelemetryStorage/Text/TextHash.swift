/// A fast hash for finding a text among a few; texts with the same hash have to be compared.
enum TextHash {
    /// Depends on the length, and on the first and the last eight bytes.
    @inline(__always)
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var mixed = UInt64(truncatingIfNeeded: bytes.count)
        if bytes.count >= 8 {
            let raw = UnsafeRawBufferPointer(bytes)
            mixed ^= raw.loadUnaligned(as: UInt64.self)
            mixed = mixed &* 0x9e37_79b9_7f4a_7c15 ^ raw.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { mixed = mixed << 8 ^ UInt64(byte) }
        }
        return mixed &* 0x9e37_79b9_7f4a_7c15
    }

    /// One of 32 places, from the bits that depend on all others.
    @inline(__always)
    static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 59) }

    static let placeCount = 32
}
