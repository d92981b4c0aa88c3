/// A random regular expression as a tree, with its text and a matcher that tries all possibilities by backtracking.
indirect enum BacktrackingMatcher {
    case literal(Unicode.Scalar)
    /// The text of a class, an escape, or ".", and whether a scalar is in it.
    case oneOf(String, @Sendable (Unicode.Scalar) -> Bool)
    case start, end
    case wordBoundary
    case sequence([BacktrackingMatcher])
    case alternatives([BacktrackingMatcher])
    /// Without a maximum, any number of repetitions.
    case repeated(BacktrackingMatcher, minimum: Int, maximum: Int?, quantifier: String)

    func matches(_ text: [Unicode.Scalar], ignoringCase: Bool) -> Bool {
        (0...text.count).contains { match(text, $0, ignoringCase) { _ in true } }
    }

    private func match(
        _ text: [Unicode.Scalar], _ position: Int, _ ignoringCase: Bool, then continuation: (Int) -> Bool
    ) -> Bool {
        switch self {
        case .literal(let scalar):
            guard position < text.count else { return false }
            let isEqual = ignoringCase ? Self.lower(text[position]) == Self.lower(scalar) : text[position] == scalar
            return isEqual && continuation(position + 1)
        case .oneOf(_, let contains): return position < text.count && contains(text[position]) && continuation(position + 1)
        case .start: return position == 0 && continuation(position)
        case .end: return position == text.count && continuation(position)
        case .wordBoundary:
            let isBefore = position > 0 && Self.isWord(text[position - 1])
            let isAfter = position < text.count && Self.isWord(text[position])
            return isBefore != isAfter && continuation(position)
        case .sequence(let parts):
            guard let first = parts.first else { return continuation(position) }
            return first.match(text, position, ignoringCase) {
                Self.sequence(Array(parts.dropFirst())).match(text, $0, ignoringCase, then: continuation)
            }
        case .alternatives(let parts): return parts.contains { $0.match(text, position, ignoringCase, then: continuation) }
        case .repeated(let part, let minimum, let maximum, _):
            if minimum == 0, continuation(position) { return true }
            if maximum == 0 { return false }
            let rest = Self.repeated(part, minimum: max(minimum - 1, 0), maximum: maximum.map { $0 - 1 }, quantifier: "")
            return part.match(text, position, ignoringCase) { next in
                // A repetition that is empty changes nothing, unless it is one of those that there must be.
                (next > position || minimum > 0) && rest.match(text, next, ignoringCase, then: continuation)
            }
        }
    }

    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.isASCII && scalar.properties.isAlphabetic || isDigit(scalar)
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    }

    /// The expression's text. A group is written wherever the text would otherwise mean something else.
    var pattern: String {
        switch self {
        case .literal("\n"): "\\n"
        case .literal(let scalar): Self.isWord(scalar) || !scalar.isASCII || scalar == " " ? String(scalar) : "\\\(scalar)"
        case .oneOf(let text, _): text
        case .start: "^"
        case .end: "$"
        case .wordBoundary: "\\b"
        case .sequence(let parts): parts.map(\.pattern).joined()
        case .alternatives(let parts): "(\(parts.map(\.pattern).joined(separator: "|")))"
        case .repeated(let part, _, _, let quantifier):
            part.isSingle ? part.pattern + quantifier : "(?:\(part.pattern))\(quantifier)"
        }
    }

    private var isSingle: Bool {
        switch self {
        case .literal, .oneOf, .alternatives: true
        default: false
        }
    }
}

extension BacktrackingMatcher {
    static let alphabet: [Unicode.Scalar] = ["a", "b", "A", "\u{e9}", "\u{c9}", "_", " ", "\n", "1"]

    static func random(depth: Int, ignoringCase: Bool, using random: inout some RandomNumberGenerator) -> Self {
        func part() -> Self { .random(depth: depth - 1, ignoringCase: ignoringCase, using: &random) }
        func parts(_ counts: ClosedRange<Int>) -> [Self] { (0..<Int.random(in: counts, using: &random)).map { _ in part() } }
        switch Int.random(in: 0..<(depth > 0 ? 16 : 8), using: &random) {
        case 0:
            return [.start, .end, .wordBoundary].randomElement(using: &random) ?? .start
        case 1: return .oneOf(".") { $0 != "\n" }
        case 2: return escape(using: &random)
        case 3, 4: return scalarClass(ignoringCase: ignoringCase, using: &random)
        case 5...7: return .literal(alphabet.randomElement(using: &random) ?? "a")
        case 8...10: return .sequence(parts(0...4))
        case 11, 12: return .alternatives(parts(1...3))
        default:
            let quantifiers: [(Int, Int?, String)] = [
                (0, 1, "?"), (0, nil, "*"), (1, nil, "+"), (2, 2, "{2}"), (0, 2, "{0,2}"), (1, 3, "{1,3}"), (0, 0, "{0}"),
            ]
            let (minimum, maximum, quantifier) = quantifiers.randomElement(using: &random) ?? (0, 1, "?")
            let isLazy = Bool.random(using: &random)
            return .repeated(part(), minimum: minimum, maximum: maximum, quantifier: quantifier + (isLazy ? "?" : ""))
        }
    }

    private static func escape(using random: inout some RandomNumberGenerator) -> Self {
        let escapes: [Self] = [
            .oneOf("\\d", isDigit), .oneOf("\\w", isWord), .oneOf("\\s") { $0 == " " || $0 == "\n" },
            .oneOf("\\D") { !isDigit($0) }, .oneOf("\\W") { !isWord($0) }, .oneOf("\\S") { $0 != " " && $0 != "\n" },
        ]
        return escapes.randomElement(using: &random) ?? .start
    }

    private static func scalarClass(ignoringCase: Bool, using random: inout some RandomNumberGenerator) -> Self {
        var items: [(text: String, contains: @Sendable (Unicode.Scalar) -> Bool)] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let bounds = [alphabet.randomElement(using: &random) ?? "a", alphabet.randomElement(using: &random) ?? "a"].sorted()
            if case .oneOf(let text, let contains) = escape(using: &random), Bool.random(using: &random) {
                items.append((text, contains))
            } else if Bool.random(using: &random) {
                items.append(("\(bounds[0])-\(bounds[1])", inAnyCase(ignoringCase) { bounds[0] <= $0 && $0 <= bounds[1] }))
            } else {
                items.append(("\(bounds[0])", inAnyCase(ignoringCase) { $0 == bounds[0] }))
            }
        }
        let isInverted = Bool.random(using: &random)
        return .oneOf("[\(isInverted ? "^" : "")\(items.map(\.text).joined())]") { [items] scalar in
            items.contains { $0.contains(scalar) } != isInverted
        }
    }

    private static func inAnyCase(
        _ ignoringCase: Bool, _ contains: @escaping @Sendable (Unicode.Scalar) -> Bool
    ) -> @Sendable (Unicode.Scalar) -> Bool {
        guard ignoringCase else { return contains }
        return { scalar in
            let variants = [String(scalar), scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
            return variants.contains { $0.unicodeScalars.contains(where: contains) }
        }
    }
}
