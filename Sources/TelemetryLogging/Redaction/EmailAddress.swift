/// Email addresses in text.
enum EmailAddress {
    /// The address around an `@`.
    /// - Parameter start: Where its local part begins at the earliest.
    static func range(in text: ByteView, at index: Int, from start: Int) -> Range<Int>? {
        var first = index
        while first > start, isLocalPart(text, first - 1) { first -= 1 }
        // What precedes the first letter or digit is punctuation.
        while first < index, ".+-'".utf8.contains(text[first]) { first += 1 }
        guard first < index, let end = domainEnd(in: text, after: index) else { return nil }
        return first..<end
    }

    /// The end of the last label after a dot that has only letters.
    private static func domainEnd(in text: ByteView, after index: Int) -> Int? {
        var end: Int?
        var (next, label, labels, isAlphabetic) = (index + 1, index + 1, 0, true)
        while true {
            if next == text.count || !isName(text, next), next > label {
                labels += 1
                // Of names such as `icon@2x.png`, the first label is a scale.
                if labels == 1, isScale(text, label..<next) { return nil }
                if labels > 1, isAlphabetic || text.starts(with: "xn--", at: label) { end = next }
                if next == text.count || text[next] != UInt8(ascii: ".") { return end }
                (label, isAlphabetic) = (next + 1, true)
            } else if next == text.count || next == label && !isWordOfName(text, next) {
                return end
            } else if ByteClass.isDigit(text[next]) || text[next] == UInt8(ascii: "-") || text[next] == UInt8(ascii: "_") {
                isAlphabetic = false
            }
            next += 1
        }
    }

    private static func isScale(_ text: ByteView, _ label: Range<Int>) -> Bool {
        label.count == 2 && ByteClass.isDigit(text[label.lowerBound]) && text[label.lowerBound + 1] | 0x20 == UInt8(ascii: "x")
    }

    /// Whether a byte is in the local part of an address as most are written. Others that RFC 5322 permits, such as `=` and `/`, precede an
    /// address in logs more often than they are in one.
    private static func isLocalPart(_ text: ByteView, _ index: Int) -> Bool {
        isWordOfName(text, index) || ".+-'".utf8.contains(text[index])
    }

    /// Whether a byte is in a label. One or two hyphens are, if they are within it.
    private static func isName(_ text: ByteView, _ index: Int) -> Bool {
        if text[index] != UInt8(ascii: "-") { return isWordOfName(text, index) }
        let next = index + 1 < text.count && text[index + 1] == UInt8(ascii: "-") ? index + 2 : index + 1
        return next < text.count && isWordOfName(text, next)
    }

    /// Whether a byte is of a letter, a digit or an underscore. Of other scripts, only Latin, Greek, Cyrillic, Armenian and Hebrew letters count,
    /// whose words are separated by blanks: their UTF-8 has two bytes, of which the first is C3 to D7.
    private static func isWordOfName(_ text: ByteView, _ index: Int) -> Bool {
        let byte = text[index]
        if byte < 0x80 { return ByteClass.isWord(byte) }
        let lead = byte >= 0xC0 || index == 0 ? byte : text[index - 1]
        return (0xC3...0xD7).contains(lead)
    }
}
