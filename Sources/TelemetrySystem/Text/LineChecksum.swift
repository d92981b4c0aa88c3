/// A 32-bit FNV-1a checksum, written as eight hexadecimal digits after the bytes that it covers.
@usableFromInline package enum LineChecksum {
    @inlinable package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var hash: UInt32 = 0x811c_9dc5
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return hash
    }

    /// The digits that are written after the bytes.
    static func text(of bytes: UnsafeRawBufferPointer) -> String {
        let digits = String(hash(bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Returns nil for text that `append(hexadecimal:)` does not write.
    @inlinable package static func read(_ digits: some Collection<UInt8>) -> UInt32? {
        guard digits.count == 8 else { return nil }
        var word: UInt32 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): word = word << 4 | UInt32(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): word = word << 4 | UInt32(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return word
    }
}
