/// Finds patterns in a string. A table says at which bytes a pattern can be recognized; the surroundings of other bytes are not read.
///
/// The time is linear in the string's length: the surroundings of a byte end where those of the next byte of its kind begin, or they are
/// limited to a number of bytes or parts.
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
        case .at: EmailAddress.range(in: text, at: index, from: start).map { Match(range: $0, pattern: .emailAddress) }
        case .colon: afterColon(in: text, at: index)
        case .dot: Token.webToken(in: text, dot: index).map { Match(range: $0, pattern: .jsonWebToken) }
        case .digit: number(in: text, at: index, next: &next)
        case .bearer: Token.bearer(in: text, at: index, from: start).map { Match(range: $0, pattern: .bearerToken) }
        case .query where index >= start: URLPart.query(in: text, at: index).map { Match(range: $0, pattern: .urlQuery) }
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
        if findsCredentials, let range = URLPart.credentials(in: text, colon: colon) {
            return Match(range: range, pattern: .urlCredentials)
        }
        guard findsAddresses else { return nil }
        return IPAddress.version6(in: text, colon: colon).map { Match(range: $0, pattern: .ipAddress) }
    }
}
