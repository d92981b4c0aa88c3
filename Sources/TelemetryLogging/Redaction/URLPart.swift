/// Parts of URLs in text (RFC 3986).
enum URLPart {
    /// User name and password of the URL with the colon of its scheme at an index.
    static func credentials(in text: ByteView, colon: Int) -> Range<Int>? {
        guard let first = authority(in: text, colon: colon), colon > 0, ByteClass.isWord(text[colon - 1]) else { return nil }
        let quote = quote(in: text, beforeScheme: colon)
        var (next, end) = (first, first)
        // A password may have an `@` that is not encoded; the last one before the path precedes the host.
        while next < text.count, !isEnd(text, next, quote: quote), !"/?#".utf8.contains(text[next]) {
            if text[next] == UInt8(ascii: "@") { end = next }
            next += 1
        }
        return end > first ? first..<end : nil
    }

    /// Query and fragment of the URL with a `?` or `#` at an index.
    static func query(in text: ByteView, at index: Int) -> Range<Int>? {
        var first = index
        var path: Int?
        while first > 0, !ByteClass.endsURL(text[first - 1]), !"?#".utf8.contains(text[first - 1]) {
            first -= 1
            switch text[first] {
            case UInt8(ascii: ":") where authority(in: text, colon: first) != nil: path = schemeStart(in: text, colon: first)
            case UInt8(ascii: "/") where first == 0 || !isWithinPath(text[first - 1]): path = first
            default: break
            }
        }
        guard let path else { return nil }
        let quote = path > 0 ? text[path - 1] : 0
        var end = index + 1
        while end < text.count, !isEnd(text, end, quote: quote) { end += 1 }
        return end > index + 1 ? index + 1..<end : nil
    }

    /// Where the authority of a URL begins, after `://`, of which JSON may escape the slashes.
    private static func authority(in text: ByteView, colon: Int) -> Int? {
        text.end(of: "://", at: colon) ?? text.end(of: ":\\/\\/", at: colon)
    }

    private static func schemeStart(in text: ByteView, colon: Int) -> Int {
        var first = colon
        while first > 0, ByteClass.isWord(text[first - 1]) || "+-.".utf8.contains(text[first - 1]) { first -= 1 }
        return first
    }

    private static func quote(in text: ByteView, beforeScheme colon: Int) -> UInt8 {
        let first = schemeStart(in: text, colon: colon)
        return first > 0 ? text[first - 1] : 0
    }

    /// Whether a slash after the byte does not begin a path.
    private static func isWithinPath(_ byte: UInt8) -> Bool {
        ByteClass.isWord(byte) || byte >= 0x80 || "./:-".utf8.contains(byte)
    }

    /// Whether a URL ends before a byte.
    /// - Parameter quote: The byte before the URL. If it is a quotation mark that a URL may have, the next one ends the URL.
    private static func isEnd(_ text: ByteView, _ index: Int, quote: UInt8) -> Bool {
        let byte = text[index]
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") { return byte == quote }
        // Of an escaped quotation mark.
        if byte == UInt8(ascii: "\\") { return index + 1 < text.count && text[index + 1] == UInt8(ascii: "\"") }
        return ByteClass.endsURL(byte)
    }
}
