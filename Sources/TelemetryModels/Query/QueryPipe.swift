/// One step after a query's filter.
enum QueryPipe: Sendable {
    case stats([QueryStatistic], by: [QueryGroup])
    case top(Int, by: [QueryGroup])
    case sort([QuerySortKey])
    case limit(Int)
    case fields([QueryName])

    /// The column that `top` adds to the groups.
    static let topColumn = "count"

    /// The pipes that this pipe is an abbreviation of.
    var expanded: [QueryPipe] {
        guard case .top(let limit, let groups) = self else { return [self] }
        let count = QuerySortKey(name: QueryName(text: Self.topColumn), isDescending: true)
        return [
            .stats([QueryStatistic(function: .countRows, alias: Self.topColumn)], by: groups),
            .sort([count] + groups.map { QuerySortKey(name: QueryName(text: $0.column), isDescending: false) }),
            .limit(limit),
        ]
    }
}

/// A field or column in a pipe; its text, without quotation marks, is the name of its column.
struct QueryName: Sendable {
    let text: String

    /// What the name selects: a field of an event, or the column of a table that is named exactly so.
    func field(ofEvents isOfEvents: Bool) -> QueryField { isOfEvents ? QueryField(text) : .attribute(text) }
}

/// A column of `stats`.
struct QueryStatistic: Sendable {
    let function: QueryFunction
    let alias: String?

    var column: String { alias ?? function.description }
}

/// What groups have in common.
enum QueryGroup: Sendable {
    case value(QueryName)
    /// `time:1m`
    case time(QueryDuration)

    var column: String {
        switch self {
        case .value(let name): name.text
        case .time(let size): "time:\(size.text)"
        }
    }
}

struct QuerySortKey: Sendable {
    let name: QueryName
    let isDescending: Bool
}
