/// Tokens in text that give access.
enum Token {
    private static let minimumBearerBytes = 8
    private static let minimumHeaderBytes = 10

    /// The token after the word `Bearer` at an index.
    /// - Parameter start: The end of an earlier match, which may have the word and the beginning of the token.
    static func bearer(in text: ByteView, at index: Int, from start: Int) -> Range<Int>? {
        if index > 0, ByteClass.isWord(text[index - 1]) { return nil }
        guard var first = text.end(of: "bearer", at: index), let separated = separatorsEnd(in: text, at: first) else {
            return nil
        }
        first = separated
        // As in "bearer token: abc".
        if let word = text.end(of: "token", at: first), let separated = separatorsEnd(in: text, at: word) { first = separated }
        var end = max(first, start)
        while end < text.count, ByteClass.isToken(text[end]) { end += 1 }
        return end - first >= minimumBearerBytes ? first..<end : nil
    }

    /// The end of blanks, quotation marks and other bytes between a name and its value; nil if there are none.
    private static func separatorsEnd(in text: ByteView, at first: Int) -> Int? {
        var end = first
        while end < text.count {
            if " \t:=\"'\\".utf8.contains(text[end]) {
                end += 1
            } else if let next = text.end(of: "%20", at: end) ?? text.end(of: "\u{A0}", at: end) {
                end = next
            } else {
                break
            }
        }
        return end > first ? end : nil
    }

    /// The web token with its first dot at an index.
    static func webToken(in text: ByteView, dot: Int) -> Range<Int>? {
        var start = dot
        while start > 0, ByteClass.isBase64URL(text[start - 1]) { start -= 1 }
        // What precedes the token may be joined to it by a hyphen or an underscore.
        var first = start
        while first + minimumHeaderBytes <= dot, !(isBoundary(text, first, from: start) && text.starts(with: "eyJ", at: first)) {
            first += 1
        }
        guard first + minimumHeaderBytes <= dot else { return nil }
        // A signed token has three parts, and an encrypted one five. Some parts may be empty (RFC 7515, RFC 7516).
        var (end, parts) = (dot, 1)
        while parts < 5, end < text.count, text[end] == UInt8(ascii: ".") {
            end += 1
            while end < text.count, ByteClass.isBase64URL(text[end]) { end += 1 }
            parts += 1
        }
        guard parts >= 3 else { return nil }
        // A dot that ends a sentence is not part of the token.
        while text[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return first..<end
    }

    private static func isBoundary(_ text: ByteView, _ index: Int, from start: Int) -> Bool {
        index == start || "-_".utf8.contains(text[index - 1])
    }
}
