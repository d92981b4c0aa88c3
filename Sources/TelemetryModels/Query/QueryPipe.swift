/// One step after a query's filter.
enum QueryPipe: Sendable {
    case stats([QueryStatistic], by: [QueryGroup])
    case top(Int, by: [QueryGroup])
    case sort([QuerySortKey])
    case limit(Int)
    case fields([QueryName])

    /// The column that `top` adds to the groups.
    static let topColumn = "count"

    /// The fields that it names, as if its rows were events.
    var fields: [QueryField] {
        switch self {
        case .stats(let statistics, let groups):
            groups.map(\.field) + statistics.compactMap { $0.function.argument?.field(ofEvents: true) }
        case .top(_, let groups): groups.map(\.field)
        case .sort(let keys): keys.map { $0.name.field(ofEvents: true) }
        case .limit: []
        case .fields(let names): names.map { $0.field(ofEvents: true) }
        }
    }

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

    /// The field of an event.
    var field: QueryField { if case .value(let name) = self { name.field(ofEvents: true) } else { .time } }
}

struct QuerySortKey: Sendable {
    let name: QueryName
    let isDescending: Bool
}
