/// What `stats` computes for a group.
enum QueryFunction: Sendable {
    case countRows
    case count(QueryName)
    case countDistinct(QueryName)
    case sum(QueryName)
    case average(QueryName)
    case minimum(QueryName)
    case maximum(QueryName)
    case quantile(QueryShare, QueryName)

    static let names = ["count", "count_distinct", "sum", "avg", "min", "max", "quantile"]

    /// - Parameters:
    ///   - name: One of ``names``.
    ///   - share: For a quantile.
    init(_ name: String, of field: QueryName, share: QueryShare?) {
        self =
            switch name {
            case "count": .count(field)
            case "count_distinct": .countDistinct(field)
            case "sum": .sum(field)
            case "avg": .average(field)
            case "min": .minimum(field)
            case "max": .maximum(field)
            default: share.map { .quantile($0, field) } ?? .count(field)
            }
    }

    var isCount: Bool {
        switch self {
        case .countRows, .count: true
        case .countDistinct, .sum, .average, .minimum, .maximum, .quantile: false
        }
    }

    /// The argument; nil for the number of rows.
    var argument: QueryName? {
        switch self {
        case .countRows: nil
        case .count(let name), .countDistinct(let name), .sum(let name), .average(let name), .minimum(let name),
            .maximum(let name), .quantile(_, let name):
            name
        }
    }
}

/// A part of all values, from 0 to 1.
struct QueryShare: Sendable {
    let text: String
    let value: Double

    /// Nil for a text that is not a number from 0 to 1.
    init?(_ text: String) {
        guard let value = QueryNumber(text)?.double, (0...1).contains(value) else { return nil }
        self.text = text
        self.value = value
    }
}
