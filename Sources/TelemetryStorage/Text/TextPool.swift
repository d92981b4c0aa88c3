/// The texts read last, so that a text that repeats is created once.
package struct TextPool {
    private static let count = 32

    private var texts = [String](repeating: "", count: Self.count)

    package init() {}

    /// The text of the bytes; nil if they are not valid UTF-8.
    package mutating func text(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let place = Self.place(of: bytes)
        if texts[place].withBytes({ $0.isIdentical(to: bytes) }) { return texts[place] }
        guard let text = JSONScanner.text(bytes) else { return nil }
        texts[place] = text
        return text
    }

    /// Depends on the length, and on the first and the last eight bytes.
    @inline(__always)
    private static func place(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var mixed = UInt64(truncatingIfNeeded: bytes.count)
        if bytes.count >= 8 {
            let raw = UnsafeRawBufferPointer(bytes)
            mixed ^= raw.loadUnaligned(as: UInt64.self)
            mixed = mixed &* 0x9e37_79b9_7f4a_7c15 ^ raw.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { mixed = mixed << 8 ^ UInt64(byte) }
        }
        return Int(truncatingIfNeeded: (mixed &* 0x9e37_79b9_7f4a_7c15) >> 59)
    }
}
