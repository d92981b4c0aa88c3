/// The representation of a text in memory, as two words.
///
/// As long as two strings exist, equal words mean that they have the same bytes: the words either contain the bytes, as those of a
/// short text do (on most systems up to 15), or refer to them. Different words mean nothing.
struct TextWords: Equatable {
    private let first: UInt64
    private let second: UInt64

    /// Nil on systems with other words.
    @inline(__always)
    init?(_ text: String) {
        guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return nil }
        // Both have the same size, and every bit pattern is a pair of words.
        (first, second) = unsafe unsafeBitCast(text, to: (UInt64, UInt64).self)
    }

    @inline(__always)
    func hash(seed: UInt64) -> UInt64 {
        let product = (first ^ seed).multipliedFullWidth(by: second ^ 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
