/// Payment card numbers (ISO/IEC 7812-1).
enum CardNumber {
    private static let digits = 13...19
    private static let minimumGroup = 3

    /// The card number that begins with the group of digits at an index.
    static func range(in text: ByteView, at first: Int) -> Range<Int>? {
        guard first + digits.lowerBound <= text.count, (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(text[first]),
            isBoundary(text, before: first)
        else { return nil }
        // From the right, every second digit is doubled. Both sums are kept, because the number of digits is not known yet.
        var (even, odd, count, group, issuer) = (0, 0, 0, 0, 0)
        var index = first
        var result: Range<Int>?
        while count <= digits.upperBound {
            if index < text.count, ByteClass.isDigit(text[index]) {
                let digit = Int(text[index] - UInt8(ascii: "0"))
                (even, odd) = (odd + digit, even + (digit > 4 ? digit * 2 - 9 : digit * 2))
                count += 1
                group += 1
                if count <= 2 { issuer = issuer * 10 + digit }
                index += 1
            } else {
                guard group >= minimumGroup else { break }
                if even % 10 == 0, isIssued(issuer, digits: count), isBoundary(text, after: index) { result = first..<index }
                guard let next = separatorEnd(text, at: index) else { break }
                (index, group) = (next, 0)
            }
        }
        return result
    }

    /// Whether numbers with these two digits at the beginning have so many digits.
    private static func isIssued(_ issuer: Int, digits: Int) -> Bool {
        switch issuer {
        case 22...27, 35, 51...55, 60...62, 64...69: 16...19 ~= digits
        case 30, 36, 38, 39: 14...19 ~= digits
        case 34, 37: digits == 15
        case 40...49: digits == 13 || 16...19 ~= digits
        case 50, 56...58, 63: 13...19 ~= digits
        default: false
        }
    }

    /// The end of a blank, a hyphen, a no-break space or an en dash between groups.
    private static func separatorEnd(_ text: ByteView, at index: Int) -> Int? {
        guard index < text.count else { return nil }
        if text[index] == UInt8(ascii: " ") || text[index] == UInt8(ascii: "-") { return index + 1 }
        return text.end(of: "\u{A0}", at: index) ?? text.end(of: "\u{2013}", at: index)
    }

    /// Whether a number can begin here: not within a word, and not after a decimal point. An escape such as `\n` and `%3D` is not a word.
    private static func isBoundary(_ text: ByteView, before index: Int) -> Bool {
        guard index > 0 else { return true }
        let byte = text[index - 1]
        if byte == UInt8(ascii: ".") { return index == 1 || !ByteClass.isDigit(text[index - 2]) }
        guard ByteClass.isLetter(byte) || ByteClass.isDigit(byte) else { return true }
        return index > 1 && text[index - 2] == UInt8(ascii: "\\") || index > 2 && text[index - 3] == UInt8(ascii: "%")
    }

    private static func isBoundary(_ text: ByteView, after index: Int) -> Bool {
        guard index < text.count else { return true }
        if text[index] == UInt8(ascii: ".") { return index + 1 == text.count || !ByteClass.isDigit(text[index + 1]) }
        return !ByteClass.isLetter(text[index])
    }
}
