#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What every event fulfils that a query's filter matches, for stores that find such events without reading others. For the project's
/// packages; not part of the interface.
@_spi(Tooling)
public struct QueryBounds {
    /// Included.
    public private(set) var since: Date?
    /// Excluded.
    public private(set) var until: Date?
    /// The ranges within which attributes' numbers are, as doubles, to which numbers are rounded.
    public private(set) var numbers: [(key: String, range: ClosedRange<Double>)] = []
    private var texts: [QueryField: Set<String>] = [:]

    /// The strings of which a field has one; nil if it may have any, or none. Strings that are equal by `==` count as the same.
    public func texts(of field: QueryField) -> Set<String>? { texts[field] }

    init(_ filter: QueryFilter, now: Date) {
        for term in filter.required {
            switch term {
            case .age(let duration): add(since: now - TimeInterval(duration.seconds))
            case .compares(.time, let comparison, .date(let date, _)):
                let next = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.nextUp)
                switch comparison {
                case .less: add(until: date)
                case .lessOrEqual: add(until: next)
                case .greater: add(since: next)
                case .greaterOrEqual: add(since: date)
                }
            case .equals(let field, let operands) where operands.allSatisfy { !$0.isNumber }:
                let operands = Set(operands.map(\.text))
                texts[field] = texts[field]?.intersection(operands) ?? operands
            case .equals(.attribute(let key), let operands):
                let numbers = operands.compactMap(\.number?.double)
                if numbers.count == operands.count, let least = numbers.min(), let most = numbers.max() {
                    self.numbers.append((key, least...most))
                }
            case .compares(.attribute(let key), let comparison, .number(let bound, _)):
                switch comparison {
                case .less, .lessOrEqual: numbers.append((key, -.infinity...bound.double))
                case .greater, .greaterOrEqual: numbers.append((key, bound.double ... .infinity))
                }
            default: break
            }
        }
    }

    private mutating func add(since date: Date) { since = max(since ?? date, date) }

    private mutating func add(until date: Date) { until = min(until ?? date, date) }
}

extension QueryFilter {
    /// The terms that every match fulfils, as far as they are found.
    fileprivate var required: [QueryTerm] {
        switch self {
        case .term(let term): [term]
        case .and(let filters): filters.flatMap(\.required)
        case .not, .or: []
        }
    }
}
