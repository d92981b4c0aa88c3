import TelemetrySystem

/// An identifier's bytes as `<prefix>-<number>`, the number in decimal without leading zeros.
struct EventNumber {
    /// Numbers have at most 19 digits, which always fit.
    static let limit: UInt64 = 10_000_000_000_000_000_000

    /// How many bytes the prefix has.
    let prefixCount: Int
    let number: UInt64

    init?(_ identifier: UnsafeBufferPointer<UInt8>) {
        var start = identifier.count
        var number: UInt64 = 0
        var scale: UInt64 = 1
        while start > 0 {
            let digit = identifier[start - 1] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            guard identifier.count - start < 19 else { return nil }
            number += UInt64(digit) * scale
            scale = scale &* 10
            start -= 1
        }
        let digits = identifier.count - start
        guard digits > 0, start > 0, identifier[start - 1] == UInt8(ascii: "-"),
            digits == 1 || identifier[start] != UInt8(ascii: "0")
        else { return nil }
        self.prefixCount = start - 1
        self.number = number
    }

    /// Whether the text is the prefix of the identifier that this was read from.
    @inline(__always)
    func isPrefix(_ text: String, of identifier: UnsafeBufferPointer<UInt8>) -> Bool {
        text.withBytes { $0.isIdentical(to: UnsafeBufferPointer(rebasing: identifier[..<prefixCount])) }
    }
}
