/// Runs of letters and digits that are in every event that a query matches: in its name, its text, its attributes or their keys, in either
/// case. For the project's packages; not part of the interface.
///
/// They have ASCII letters, digits and `_` only, at least three, and one that is in no number and no date: these can be written in more
/// than one way.
@_spi(Tooling)
public struct QueryLiterals: Sendable {
    /// An event has one literal, in lowercase, of each list.
    public private(set) var clauses: [[[UInt8]]] = []

    init(_ filter: QueryFilter) { clauses = Self.clauses(of: filter) }

    /// What events have that have the literals of both.
    public init(_ first: Self?, _ second: Self?) { clauses = (first?.clauses ?? []) + (second?.clauses ?? []) }

    private static func clauses(of filter: QueryFilter) -> [[[UInt8]]] {
        switch filter {
        case .term(let term): return clause(of: term).map { [$0] } ?? []
        case .not: return []
        case .and(let filters): return filters.flatMap(clauses)
        case .or(let filters):
            let alternatives = filters.compactMap { clauses(of: $0).first }
            return alternatives.count == filters.count && !filters.isEmpty ? [alternatives.flatMap(\.self)] : []
        }
    }

    private static func clause(of term: QueryTerm) -> [[UInt8]]? {
        switch term {
        case .words(let words, nil): literal(in: words.text).map { [$0] }
        case .words(let words, let field?): isInLine(field) ? (literal(in: words.text) ?? key(of: field)).map { [$0] } : nil
        case .equals(let field, let operands):
            if isInLine(field) {
                texts(operands.map(\.text)) ?? key(of: field).map { [$0] }
            } else {
                nil
            }
        case .has(let field), .compares(let field, _, _), .pattern(_, let field?): key(of: field).map { [$0] }
        case .everything, .pattern(_, nil), .age: nil
        }
    }

    /// Whether the field's value stands in an event's line, or its name among those of the header.
    private static func isInLine(_ field: QueryField) -> Bool {
        switch field {
        case .name, .text, .attribute: true
        default: false
        }
    }

    private static func key(of field: QueryField) -> [UInt8]? {
        if case .attribute(let key) = field { literal(in: key) } else { nil }
    }

    /// Nil unless each text has a literal.
    private static func texts(_ texts: [String]) -> [[UInt8]]? {
        let literals = texts.compactMap(literal)
        return literals.count == texts.count && !texts.isEmpty ? literals : nil
    }

    /// The longest run of letters and digits of a text that is not one of a number or a date.
    private static func literal(in text: String) -> [UInt8]? {
        let runs = text.utf8.split { !isLetter($0) && !isDigit($0) }
        let literals = runs.map { $0.map(lowercase) }.filter { run in
            run.count >= 3 && run.contains { isLetter($0) && !ofNumbersAndDates.contains($0) } && !run.elementsEqual("inf".utf8)
                && !run.elementsEqual("nan".utf8)
        }
        return literals.max { $0.count < $1.count }
    }

    private static let underscore = UInt8(ascii: "_")
    /// The letters of an exponent, and of a time in UTC.
    private static let ofNumbersAndDates = Array("etz".utf8)

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == underscore }

    private static func lowercase(_ byte: UInt8) -> UInt8 { isLetter(byte) && byte != underscore ? byte | 0x20 : byte }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
