#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One condition of a query.
enum QueryTerm: Sendable {
    /// `*`
    case everything
    /// `field:*`
    case has(QueryField)
    /// `word`, `"a phrase"`, `field:word`; without a field in the name, the text or an attribute.
    case words(QueryWords, in: QueryField?)
    /// `~"expression"`, `field:~"expression"`
    case pattern(QueryExpression, in: QueryField?)
    /// `field:=value`, `field:in(value, …)`
    case equals(QueryField, [QueryOperand])
    /// `field:>=value`
    case compares(QueryField, QueryComparison, QueryBound)
    /// `time:15m`
    case age(QueryDuration)

    /// The field that it names.
    var field: QueryField? {
        switch self {
        case .everything, .words(_, nil), .pattern(_, nil): nil
        case .has(let field), .words(_, let field?), .pattern(_, let field?), .equals(let field, _), .compares(let field, _, _):
            field
        case .age: .time
        }
    }

    func matches(_ subject: some QuerySubject, in context: QueryContext) -> Bool {
        switch self {
        case .everything: return true
        case .has(let field): return subject.value(of: field) != nil
        case .words(let words, nil): return subject.hasText(where: words.matches)
        case .words(let words, let field?): return subject.value(of: field).map { words.matches($0.queryText) } ?? false
        case .pattern(let expression, nil): return subject.hasText { expression.pattern.matches($0, in: context) }
        case .pattern(let expression, let field?):
            guard var text = subject.value(of: field)?.queryText else { return false }
            return text.withUTF8 { expression.pattern.matches($0, in: context) }
        case .equals(let field, let operands):
            guard let value = subject.value(of: field) else { return false }
            return operands.contains { $0.equals(value) }
        case .compares(let field, let comparison, let bound):
            guard let value = subject.value(of: field) else { return false }
            return bound.order(of: value).map(comparison.includes) ?? false
        case .age(let duration):
            guard case .date(let time)? = subject.value(of: .time) else { return false }
            return time >= context.now - TimeInterval(duration.seconds)
        }
    }
}

/// A regular expression and its text.
struct QueryExpression: Sendable {
    let text: String
    let pattern: QueryPattern

    init(_ text: String) throws(QueryPattern.Malformed) {
        self.text = text
        pattern = try QueryPattern(text)
    }
}

/// What a whole value is equal to.
struct QueryOperand: Sendable {
    let text: String
    let number: QueryNumber?
    /// The hashes of words that every equal value has, or has in another spelling of its number.
    let words: [UInt64]

    init(_ text: String) {
        self.text = text
        number = QueryNumber(text)
        words = number.map { $0.digits.map(WordHash.words) ?? [] } ?? WordHash.words(of: text)
    }

    var isNumber: Bool { number != nil }

    /// Numbers are equal as numbers if both are, otherwise as strings.
    func equals(_ value: TelemetryValue) -> Bool {
        if let number, let other = value.queryNumber { return number == other }
        return ExactString(value.queryText) == ExactString(text)
    }
}

enum QueryComparison: String, Sendable {
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// - Parameter order: The value's order relative to the bound: negative, 0 or positive.
    func includes(_ order: Int) -> Bool {
        switch self {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

/// What a value is compared with.
enum QueryBound: Sendable {
    case number(QueryNumber, text: String)
    case date(Date, text: String)
    case severity(QuerySeverity)
    case level(TelemetryLogLevel)

    /// - Parameter text: A number or a date; for `severity` and `level` one of their values, and for `time` a date.
    init?(_ text: String, for field: QueryField) {
        switch field {
        case .severity:
            guard let severity = QuerySeverity(name: text) else { return nil }
            self = .severity(severity)
        case .level:
            guard let level = TelemetryLogLevel(rawValue: text.lowercased()) else { return nil }
            self = .level(level)
        default:
            if field != .time, let number = QueryNumber(text) {
                self = .number(number, text: text)
            } else if let date = TimestampFormat.date(from: text.utf8.count == 10 ? text + "T00:00:00Z" : text) {
                self = .date(date, text: text)
            } else {
                return nil
            }
        }
    }

    /// What `init` expects.
    static func expectation(for field: QueryField) -> String {
        switch field {
        case .severity: "a severity: " + QuerySeverity.allCases.map(\.rawValue).joined(separator: ", ")
        case .level: "info or diagnostic"
        case .time: "a date in UTC such as 2026-11-24T10:00:00Z or 2026-11-24"
        default: "a number or a date"
        }
    }

    var text: String {
        switch self {
        case .number(_, let text), .date(_, let text): text
        case .severity(let severity): severity.rawValue
        case .level(let level): level.rawValue
        }
    }

    /// The value's order relative to the bound: negative, 0 or positive; nil if the two cannot be compared.
    func order(of value: TelemetryValue) -> Int? {
        switch self {
        case .number(let bound, _): value.queryNumber.map { Self.order($0, bound) }
        case .date(let bound, _): value.dateValue.map { Self.order($0, bound) }
        case .severity(let bound):
            value.stringValue.flatMap(QuerySeverity.init(name:)).map { Self.order($0.rank, bound.rank) }
        case .level(let bound): value.stringValue.flatMap(TelemetryLogLevel.init(rawValue:)).map { Self.order($0, bound) }
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : right < left ? 1 : 0
    }
}
