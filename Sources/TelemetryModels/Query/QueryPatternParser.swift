/// Parses a regular expression of the query language into the states that match it.
struct QueryPatternParser {
    typealias Malformed = QueryPattern.Malformed
    typealias State = QueryPattern.State

    private(set) var states: [State] = []
    private(set) var sets: [QueryScalarSet] = []
    private(set) var ignoresCase = false
    private var rest: ArraySlice<Unicode.Scalar>
    private var depth = 0

    init(_ pattern: String) throws(Malformed) {
        rest = Array(pattern.unicodeScalars)[...]
        ignoresCase = skip("(?i)")
        states = try alternatives() + [.accepting]
        if !rest.isEmpty { throw malformed("the parenthesis", at: rest.startIndex, "is not opened") }
    }

    private mutating func alternatives() throws(Malformed) -> [State] {
        var states = try sequence()
        while skip("|") {
            let other = try sequence()
            states = [.either(1, states.count + 2)] + states + [.jump(other.count + 1)] + other
            try checkCount(states.count)
        }
        return states
    }

    private mutating func sequence() throws(Malformed) -> [State] {
        var states: [State] = []
        while let scalar = rest.first, scalar != "|", scalar != ")" {
            if let assertion = QueryPattern.Assertion.allCases.first(where: { skip($0.rawValue) }) {
                states.append(.assertion(assertion))
            } else {
                states += try quantified(operand())
            }
            try checkCount(states.count)
        }
        return states
    }

    private mutating func operand() throws(Malformed) -> [State] {
        let start = rest.startIndex
        if skip("(") { return try group(openedAt: start) }
        if skip("[") { return [try scalarClass(openedAt: start)] }
        if skip(".") { return [state(of: QueryScalarSet(RangeSet([0x0a..<0x0b]), isInverted: true))] }
        // This includes a quantifier after an assertion or after another quantifier.
        if let next = rest.first, "?*+{".unicodeScalars.contains(next) {
            throw malformed("the quantifier", at: start, "repeats nothing")
        }
        let state = try character()
        if case .scalar(let scalar) = state, ignoresCase { return [.scalar(scalar.simpleLowercase)] }
        return [state]
    }

    private mutating func group(openedAt start: Int) throws(Malformed) -> [State] {
        if rest.first == "?", !skip("?:") { throw malformed("the group", at: start, "is neither (?: ) nor (?i) at the start") }
        depth += 1
        if depth > 64 { throw malformed("the parenthesis", at: start, "is nested more than 64 deep") }
        let states = try alternatives()
        if !skip(")") { throw malformed("the parenthesis", at: start, "is not closed") }
        depth -= 1
        return states
    }

    private mutating func quantified(_ operand: [State]) throws(Malformed) -> [State] {
        let start = rest.startIndex
        // A lazy quantifier matches the same strings.
        defer { if rest.startIndex > start { _ = skip("?") } }
        let optional = [.either(1, operand.count + 1)] + operand
        if skip("?") { return optional }
        if skip("+") { return operand + [.either(-operand.count, 1)] }
        if skip("*") { return [.either(1, operand.count + 2)] + operand + [.jump(-operand.count - 1)] }
        guard skip("{") else { return operand }
        let minimum = number()
        guard let minimum, let maximum = skip(",") ? number() : minimum, skip("}"), minimum <= maximum, maximum <= 100 else {
            throw malformed("the quantifier", at: start, "is neither {n} nor {n,m} with n ≤ m ≤ 100")
        }
        try checkCount(minimum * operand.count + (maximum - minimum) * optional.count)
        let parts = Array(repeating: operand, count: minimum) + Array(repeating: optional, count: maximum - minimum)
        return Array(parts.joined())
    }

    private mutating func number() -> Int? {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        rest.removeFirst(digits.count)
        return digits.isEmpty ? nil : digits.reduce(0) { min($0 * 10 + Int($1.value - 0x30), 1000) }
    }

    private mutating func scalarClass(openedAt start: Int) throws(Malformed) -> State {
        let isInverted = skip("^")
        if rest.first == "]" { throw malformed("the class", at: start, "is empty") }
        var (ranges, escapes): (RangeSet<UInt32>, [QueryScalarSet]) = (RangeSet(), [])
        while !skip("]") {
            let first = rest.startIndex
            let lower = try character(ofClassAt: start)
            let isRange = rest.first == "-" && rest.dropFirst().first != "]"
            if isRange { rest.removeFirst() }
            switch (lower, isRange ? try character(ofClassAt: start) : lower) {
            case (.set(let index), _) where !isRange: escapes.append(sets[index])
            case (.scalar(let lower), .scalar(let upper)):
                if lower > upper { throw malformed("the range", at: first, "is reversed") }
                ranges.insert(contentsOf: lower.value..<upper.value + 1)
            default: throw malformed("the range", at: first, "is not between two characters")
            }
        }
        let set = QueryScalarSet(ranges, escapes: escapes, isInverted: isInverted, ignoringCase: ignoresCase)
        return state(of: set)
    }

    /// Parses a character or an escape, in a class or not.
    private mutating func character(ofClassAt start: Int = 0) throws(Malformed) -> State {
        guard let scalar = rest.popFirst() else { throw malformed("the bracket", at: start, "is not closed") }
        guard scalar == "\\" else { return .scalar(scalar) }
        guard let escaped = rest.popFirst() else {
            throw malformed("the backslash", at: rest.startIndex - 1, "is not followed by a character")
        }
        switch escaped {
        case "n": return .scalar("\n")
        case "r": return .scalar("\r")
        case "t": return .scalar("\t")
        case "d", "D": return state(of: QueryScalarSet(RangeSet([0x30..<0x3a]), isInverted: escaped == "D"))
        case "w", "W": return state(of: QueryScalarSet(QueryScalarSet.words, isInverted: escaped == "W"))
        case "s", "S": return state(of: QueryScalarSet(RangeSet([0x09..<0x0e, 0x20..<0x21]), isInverted: escaped == "S"))
        case _ where escaped.isLetterOrNumber: throw malformed("the escape", at: rest.startIndex - 2, "is unknown")
        default: return .scalar(escaped)
        }
    }

    private mutating func state(of set: QueryScalarSet) -> State {
        sets.append(set)
        return .set(sets.count - 1)
    }

    private mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.unicodeScalars) else { return false }
        rest.removeFirst(text.unicodeScalars.count)
        return true
    }

    private func checkCount(_ count: Int) throws(Malformed) {
        // One more is the accepting state.
        if count >= 16_384 { throw Malformed(message: "the expression is too large: it needs more than 16,384 states") }
    }

    private func malformed(_ part: String, at position: Int, _ problem: String) -> Malformed {
        Malformed(message: "\(part) at character \(position + 1) \(problem)")
    }
}
