/// Parses the part of a query before its pipes.
struct QueryFilterParser {
    static let termLimit = 64
    static let depthLimit = 16

    var scanner: QueryScanner
    private var terms = 0

    init(_ scanner: QueryScanner) { self.scanner = scanner }

    /// Parses up to the first pipe or the end.
    mutating func filter() throws(TelemetryQueryError) -> QueryFilter {
        let next = scanner.nextPart()
        return next == nil || next == UInt8(ascii: "|") ? .and([]) : try disjunction()
    }

    private mutating func disjunction() throws(TelemetryQueryError) -> QueryFilter {
        var operands = [try conjunction()]
        while scanner.consumeWord("or", ignoresCase: true) { operands.append(try conjunction()) }
        return operands.count == 1 ? operands[0] : .or(operands.flatMap { if case .or(let inner) = $0 { inner } else { [$0] } })
    }

    private mutating func conjunction() throws(TelemetryQueryError) -> QueryFilter {
        var operands = [try negation()]
        while let next = scanner.nextPart(), next != UInt8(ascii: "|"), next != UInt8(ascii: ")") {
            let start = scanner
            if scanner.consumeWord("or", ignoresCase: true) {
                scanner = start
                break
            }
            _ = scanner.consumeWord("and", ignoresCase: true)
            operands.append(try negation())
        }
        return operands.count == 1 ? operands[0] : .and(operands.flatMap { if case .and(let inner) = $0 { inner } else { [$0] } })
    }

    private mutating func negation() throws(TelemetryQueryError) -> QueryFilter {
        var isNegated = false
        while scanner.consumePart("-") || scanner.consumePart("!") || scanner.consumeWord("not", ignoresCase: true) {
            isNegated.toggle()
        }
        let operand = try operand()
        if case .not(let inner) = operand { return isNegated ? inner : operand }
        return isNegated ? .not(operand) : operand
    }

    private mutating func operand() throws(TelemetryQueryError) -> QueryFilter {
        if scanner.nextPart() == UInt8(ascii: "("), scanner.depth == Self.depthLimit {
            throw TelemetryQueryError(
                message: "A query has at most \(Self.depthLimit) levels of parentheses.", offset: scanner.position)
        }
        if scanner.open() {
            let inner = try disjunction()
            try scanner.close(expecting: "a term or a closing parenthesis")
            return inner
        }
        return .term(try term())
    }

    private mutating func term() throws(TelemetryQueryError) -> QueryTerm {
        _ = scanner.nextPart()
        let start = scanner.position
        terms += 1
        guard terms <= Self.termLimit else {
            throw TelemetryQueryError(message: "A query has at most \(Self.termLimit) terms.", offset: start)
        }
        if scanner.consume("~") { return .pattern(try expression(), in: nil) }
        if let text = try scanner.quoted() {
            if scanner.consumePart(":") { return try condition(on: QueryField(text)) }
            return .words(try words(text, continuesBefore: false), in: nil)
        }
        let text = scanner.run(.word)
        guard !text.isEmpty else { throw scanner.unexpected("a term") }
        if let operation = text.utf8.first, "=<>".utf8.contains(operation) {
            throw TelemetryQueryError(message: "Expected a field and a colon before the operator.", offset: start)
        }
        if text.utf8.contains(UInt8(ascii: "*")) || !scanner.consumePart(":") {
            return try words(run: text, at: start, in: nil)
        }
        return try condition(on: QueryField(text))
    }

    /// What follows a field and a colon.
    private mutating func condition(on field: QueryField) throws(TelemetryQueryError) -> QueryTerm {
        let next = scanner.nextPart()
        let start = scanner.position
        if next == UInt8(ascii: "\""), let text = try scanner.quoted() {
            return .words(try words(text, continuesBefore: false), in: field)
        }
        if scanner.consume("=") { return .equals(field, [QueryOperand(try value())]) }
        if scanner.consume("<") { return try comparison(on: field, scanner.consume("=") ? .lessOrEqual : .less) }
        if scanner.consume(">") { return try comparison(on: field, scanner.consume("=") ? .greaterOrEqual : .greater) }
        if scanner.consume("~") { return .pattern(try expression(), in: field) }
        let text = scanner.run(.word)
        if text.isEmpty { throw scanner.unexpected("a value") }
        if text == "in", scanner.next == UInt8(ascii: "(") { return .equals(field, try list()) }
        if field == .time, QueryDuration.isLike(text) {
            guard let duration = QueryDuration(text) else {
                throw TelemetryQueryError(message: "Expected a duration such as 90s, 15m, 2h or 7d.", offset: start)
            }
            try scanner.expectSeparation()
            return .age(duration)
        }
        return try words(run: text, at: start, in: field)
    }

    /// The words in a run, which may have a star at its beginning and at its end.
    private mutating func words(
        run: String, at start: Int, in field: QueryField?
    ) throws(TelemetryQueryError) -> QueryTerm {
        if ["and", "or", "not"].contains(run.lowercased()) {
            throw TelemetryQueryError(message: "Expected a term.", offset: start)
        }
        if run == "*" {
            if let text = try scanner.quoted() { return .words(try words(text, continuesBefore: true), in: field) }
            return field.map(QueryTerm.has) ?? .everything
        }
        try scanner.expectSeparation()
        let scalars = run.unicodeScalars
        let (isOpenBefore, isOpenAfter) = (scalars.first == "*", scalars.last == "*")
        let text = String(scalars.dropFirst(isOpenBefore ? 1 : 0).dropLast(isOpenAfter ? 1 : 0))
        if text.isEmpty || text.utf8.contains(UInt8(ascii: "*")) {
            throw TelemetryQueryError(message: "Expected a star at the beginning or the end of a word only.", offset: start)
        }
        return .words(QueryWords(text, continuesBefore: isOpenBefore, continuesAfter: isOpenAfter), in: field)
    }

    /// The words of a quotation that was read, with the star after it.
    private mutating func words(_ text: String, continuesBefore: Bool) throws(TelemetryQueryError) -> QueryWords {
        let continuesAfter = scanner.consume("*")
        try scanner.expectSeparation()
        return QueryWords(text, continuesBefore: continuesBefore, continuesAfter: continuesAfter)
    }

    private mutating func expression() throws(TelemetryQueryError) -> QueryExpression {
        _ = scanner.nextPart()
        let start = scanner.position
        guard let text = try scanner.quoted() else { throw scanner.unexpected("a regular expression in quotation marks") }
        try scanner.expectSeparation()
        do {
            return try QueryExpression(text)
        } catch {
            throw TelemetryQueryError(message: "Not a regular expression: \(error.message).", offset: start)
        }
    }

    private mutating func comparison(
        on field: QueryField, _ comparison: QueryComparison
    ) throws(TelemetryQueryError) -> QueryTerm {
        _ = scanner.nextPart()
        let start = scanner.position
        guard let bound = QueryBound(try value(), for: field) else {
            throw TelemetryQueryError(message: "Expected \(QueryBound.expectation(for: field)).", offset: start)
        }
        return .compares(field, comparison, bound)
    }

    private mutating func list() throws(TelemetryQueryError) -> [QueryOperand] {
        _ = scanner.open()
        var operands: [QueryOperand] = []
        if scanner.nextPart() != UInt8(ascii: ")") {
            repeat { operands.append(QueryOperand(try value())) } while scanner.consumePart(",")
        }
        try scanner.close(expecting: "a comma or a closing parenthesis")
        return operands
    }

    /// A quotation, or the characters as they are.
    private mutating func value() throws(TelemetryQueryError) -> String {
        _ = scanner.nextPart()
        if let text = try scanner.quoted() {
            try scanner.expectSeparation()
            return text
        }
        let text = scanner.run(.value)
        if text.isEmpty { throw scanner.unexpected("a value") }
        try scanner.expectSeparation()
        return text
    }
}
