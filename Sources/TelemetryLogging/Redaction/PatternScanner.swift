/// Finds patterns in a string. A table says at which bytes a pattern can be recognized; the surroundings of other bytes are not read.
///
/// Each pattern reads bytes that it does not read again, except that the number of a card may begin at each of several groups of digits.
/// So the time is linear in the string's length.
@_spi(Tooling) public struct PatternScanner: Sendable {
    public typealias Pattern = TelemetryRedaction.Pattern

    /// A part of a string.
    public struct Match: Sendable {
        /// Offsets in UTF-8, between characters.
        public let range: Range<Int>
        public let pattern: Pattern
    }

    /// The patterns that a byte may be part of.
    private enum Sign: UInt8 {
        case none, at, colon, dot, digit, bearer, query
    }

    private let findsCards: Bool
    private let findsAddresses: Bool
    private let findsCredentials: Bool
    /// For each byte its sign, if one of the patterns needs it.
    private let signs: [UInt8]

    public init(_ patterns: Set<Pattern>) {
        findsCards = patterns.contains(.creditCard)
        findsAddresses = patterns.contains(.ipAddress)
        findsCredentials = patterns.contains(.urlCredentials)
        var needed: Set<Sign> = []
        for pattern in patterns {
            switch pattern {
            case .emailAddress: needed.insert(.at)
            case .bearerToken: needed.insert(.bearer)
            case .jsonWebToken: needed.insert(.dot)
            case .creditCard: needed.insert(.digit)
            case .ipAddress: needed.formUnion([.digit, .colon])
            case .urlCredentials: needed.insert(.colon)
            case .urlQuery: needed.insert(.query)
            }
        }
        signs = (UInt8.min...UInt8.max).map { byte in
            let sign = Self.sign(of: byte)
            return needed.contains(sign) ? sign.rawValue : Sign.none.rawValue
        }
    }

    private static func sign(of byte: UInt8) -> Sign {
        switch byte {
        case UInt8(ascii: "@"): .at
        case UInt8(ascii: ":"): .colon
        case UInt8(ascii: "."): .dot
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        case UInt8(ascii: "b"), UInt8(ascii: "B"): .bearer
        case UInt8(ascii: "?"), UInt8(ascii: "#"): .query
        default: .none
        }
    }

    /// The matches from the first to the last, without overlaps.
    public func matches(in text: String) -> [Match] {
        var text = text
        // The string keeps its bytes during the call.
        return text.withUTF8 { matches(in: unsafe ByteView(UnsafeRawBufferPointer($0))) }
    }

    private func matches(in text: ByteView) -> [Match] {
        var matches: [Match] = []
        // What precedes `start` belongs to earlier matches.
        var (index, start) = (0, 0)
        while let found = text.firstIndex(from: index, in: signs) {
            index = found + 1
            guard let match = match(in: text, at: found, from: start, next: &index), match.range.upperBound > start else {
                continue
            }
            matches.append(Match(range: max(match.range.lowerBound, start)..<match.range.upperBound, pattern: match.pattern))
            start = match.range.upperBound
        }
        return matches
    }

    /// The match that a byte is the sign of. It may begin in an earlier one, as a card's number does whose first digits end a URL.
    /// - Parameter next: Where to continue.
    private func match(in text: ByteView, at index: Int, from start: Int, next: inout Int) -> Match? {
        switch Sign(rawValue: signs[Int(text[index])]) {
        case .at: email(in: text, at: index, from: start).map { Match(range: $0, pattern: .emailAddress) }
        case .colon: afterColon(in: text, at: index)
        case .dot: webToken(in: text, dot: index).map { Match(range: $0, pattern: .jsonWebToken) }
        case .digit: number(in: text, at: index, next: &next)
        case .bearer: bearerToken(in: text, at: index, from: start).map { Match(range: $0, pattern: .bearerToken) }
        case .query where index >= start: query(in: text, at: index).map { Match(range: $0, pattern: .urlQuery) }
        // In another match, only a query contains these, which ends where this one does.
        case .query, nil, Sign.none?: nil
        }
    }

    private func number(in text: ByteView, at index: Int, next: inout Int) -> Match? {
        // The digits of this group, of which none but the first begins a number.
        while next < text.count, ByteClass.isDigit(text[next]) { next += 1 }
        if findsCards, let range = CardNumber.range(in: text, at: index) {
            return Match(range: range, pattern: .creditCard)
        }
        guard findsAddresses else { return nil }
        return IPAddress.version4(in: text, at: index).map { Match(range: $0, pattern: .ipAddress) }
    }

    private func afterColon(in text: ByteView, at colon: Int) -> Match? {
        if text.starts(with: "://", at: colon) {
            guard findsCredentials else { return nil }
            return credentials(in: text, after: colon).map { Match(range: $0, pattern: .urlCredentials) }
        }
        guard findsAddresses else { return nil }
        return IPAddress.version6(in: text, colon: colon).map { Match(range: $0, pattern: .ipAddress) }
    }

    /// The email address around an `@`.
    private func email(in text: ByteView, at index: Int, from start: Int) -> Range<Int>? {
        var first = index
        while first > start, ByteClass.isLocalPart(text[first - 1]) { first -= 1 }
        // What precedes the first letter or digit is punctuation.
        while first < index, !ByteClass.isWord(text[first]) { first += 1 }
        guard first < index else { return nil }
        var (end, dots) = (index + 1, 0)
        // The domain ends with the last label after a dot.
        var (next, label) = (end, end)
        while next < text.count {
            if text[next] == UInt8(ascii: ".") {
                guard next > label else { break }
                dots += 1
                label = next + 1
            } else if ByteClass.isWord(text[next]) {
                if dots > 0 { end = next + 1 }
            } else if text[next] != UInt8(ascii: "-") || next == label {
                break
            }
            next += 1
        }
        return end > index + 1 ? first..<end : nil
    }

    /// The token after the word `Bearer` at an index.
    private func bearerToken(in text: ByteView, at index: Int, from start: Int) -> Range<Int>? {
        if index > 0, ByteClass.isWord(text[index - 1]) { return nil }
        var first = index
        for letter in "bearer".utf8 {
            guard first < text.count, text[first] | 0x20 == letter else { return nil }
            first += 1
        }
        let word = first
        while first < text.count, " :=\"'".utf8.contains(text[first]) { first += 1 }
        guard first > word else { return nil }
        // An earlier match may have the word and the beginning of the token.
        var end = max(first, start)
        while end < text.count, ByteClass.isToken(text[end]) { end += 1 }
        return end - first >= 8 ? first..<end : nil
    }

    /// The web token with its first dot at an index.
    private func webToken(in text: ByteView, dot: Int) -> Range<Int>? {
        var first = dot
        while first > 0, ByteClass.isBase64URL(text[first - 1]) { first -= 1 }
        // What precedes it may be a word that a hyphen joins to it.
        while first + 3 <= dot, !text.starts(with: "eyJ", at: first) { first += 1 }
        guard first + 3 <= dot else { return nil }
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

    /// User name and password of the URL with the colon of its scheme at an index.
    private func credentials(in text: ByteView, after colon: Int) -> Range<Int>? {
        guard colon > 0, ByteClass.isWord(text[colon - 1]) else { return nil }
        let first = colon + 3
        var (next, end) = (first, first)
        // A password may have an `@` that is not encoded; the last one before the path precedes the host.
        while next < text.count, !ByteClass.endsURL(text[next]), !"/?#".utf8.contains(text[next]) {
            if text[next] == UInt8(ascii: "@") { end = next }
            next += 1
        }
        return end > first ? first..<end : nil
    }

    /// Query and fragment of the URL with a `?` or `#` at an index.
    private func query(in text: ByteView, at index: Int) -> Range<Int>? {
        var (first, hasScheme) = (index, false)
        while first > 0, !ByteClass.endsURL(text[first - 1]), !"?#".utf8.contains(text[first - 1]) {
            first -= 1
            if text[first] == UInt8(ascii: ":"), text.starts(with: "://", at: first) { hasScheme = true }
        }
        guard hasScheme || first < index && text[first] == UInt8(ascii: "/") else { return nil }
        var end = index + 1
        while end < text.count, !ByteClass.endsURL(text[end]) { end += 1 }
        return end > index + 1 ? index + 1..<end : nil
    }
}
