#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a value is sorted by: numbers come before dates, dates before other values, and missing values last. A value that has a number is sorted
/// by it, and those of `severity` and `level` by their order.
enum QueryOrder: Sendable {
    case rank(Int)
    case number(QueryNumber)
    case date(Date)
    case text(ExactString)
    case missing

    init(_ value: TelemetryValue?, of field: QueryField) {
        guard let value else {
            self = .missing
            return
        }
        if case .date(let date) = value {
            self = .date(date)
        } else if field == .severity, let severity = value.stringValue.flatMap(QuerySeverity.init(name:)) {
            self = .rank(severity.rank)
        } else if field == .level, let level = value.stringValue.flatMap(TelemetryLogLevel.init(rawValue:)) {
            self = .rank(level == .info ? 0 : 1)
        } else if let number = value.queryNumber {
            self = .number(number)
        } else {
            self = .text(ExactString(value.queryText))
        }
    }

    /// - Parameter isDescending: Reverses the order, except that missing values are last.
    func isBefore(_ other: QueryOrder, isDescending: Bool) -> Bool {
        switch (self, other) {
        case (.missing, _): false
        case (_, .missing): true
        default: isDescending ? other.precedes(self) : precedes(other)
        }
    }

    private func precedes(_ other: Self) -> Bool {
        switch (self, other) {
        case (.rank(let left), .rank(let right)): left < right
        case (.number(let left), .number(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        case (.text(let left), .text(let right)): left < right
        default: kind < other.kind
        }
    }

    private var kind: Int {
        switch self {
        case .rank: 0
        case .number: 1
        case .date: 2
        case .text: 3
        case .missing: 4
        }
    }
}
