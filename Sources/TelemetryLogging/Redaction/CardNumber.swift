/// Numbers of payment cards (ISO/IEC 7812-1).
enum CardNumber {
    private static let digits = 13...19
    private static let leastGroup = 3

    /// The number of a card that begins with the group of digits at an index.
    static func range(in text: ByteView, at first: Int) -> Range<Int>? {
        guard (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(text[first]), isBoundary(text, before: first) else { return nil }
        // From the right, every second digit is doubled. Both sums are kept, because the number of digits is not known yet.
        var (even, odd, count, group) = (0, 0, 0, 0)
        var index = first
        var result: Range<Int>?
        while index < text.count, count <= digits.upperBound {
            let byte = text[index]
            if ByteClass.isDigit(byte) {
                let digit = Int(byte - UInt8(ascii: "0"))
                (even, odd) = (odd + digit, even + (digit > 4 ? digit * 2 - 9 : digit * 2))
                count += 1
                group += 1
            } else {
                guard group >= leastGroup else { break }
                if digits.contains(count), even % 10 == 0, isBoundary(text, after: index) { result = first..<index }
                guard byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") else { break }
                group = 0
            }
            index += 1
        }
        if index == text.count, group >= leastGroup, digits.contains(count), even % 10 == 0 { result = first..<index }
        return result
    }

    /// Whether a number can begin here: not within a word, and not after a decimal point.
    private static func isBoundary(_ text: ByteView, before index: Int) -> Bool {
        guard index > 0 else { return true }
        if text[index - 1] == UInt8(ascii: ".") { return index == 1 || !ByteClass.isDigit(text[index - 2]) }
        return !ByteClass.isLetter(text[index - 1]) && !ByteClass.isDigit(text[index - 1])
    }

    private static func isBoundary(_ text: ByteView, after index: Int) -> Bool {
        guard index < text.count else { return true }
        if text[index] == UInt8(ascii: ".") { return index + 1 == text.count || !ByteClass.isDigit(text[index + 1]) }
        return !ByteClass.isLetter(text[index])
    }
}
