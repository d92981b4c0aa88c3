/// A fast hash for finding a text among a few; strings with the same hash have to be compared.
@usableFromInline package enum TextHash {
    @inlinable static var factor: UInt64 { 0x9e37_79b9_7f4a_7c15 }

    /// Depends on every byte and the length; practically never zero.
    @inlinable @inline(__always)
    package static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let raw = UnsafeRawBufferPointer(bytes)
        var mixed = factor ^ UInt64(truncatingIfNeeded: raw.count)
        if raw.count >= 8 {
            var index = 0
            while index + 8 < raw.count {
                mixed = mix(mixed ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                index += 8
            }
            mixed ^= raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)
        } else {
            var word: UInt64 = 0
            for byte in raw { word = word << 8 ^ UInt64(byte) }
            mixed ^= word
        }
        return mix(mixed) &* factor
    }

    @inlinable @inline(__always)
    static func mix(_ word: UInt64) -> UInt64 {
        let product = word &* factor
        return product ^ product >> 32
    }

    /// One of 32 places, from the bits that depend on all others.
    @inlinable @inline(__always)
    package static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 59) }

    @inlinable package static var placeCount: Int { 32 }
}
