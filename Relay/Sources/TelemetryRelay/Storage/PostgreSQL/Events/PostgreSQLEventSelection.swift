#if PostgreSQL
import PostgreSQLClient

/// Translates a filter to SQL, with strings as keys and values as parameters.
struct PostgreSQLEventSelection {
    /// An SQL condition with the values of its parameters. `?` stands for the next parameter.
    private struct Condition {
        let sql: String
        let values: [PostgreSQLValue]
    }

    /// The maximum number of values of a column that are read from its index one by one.
    private static let few = 16

    private var conditions: [Condition] = []
    /// Conditions of which exactly one holds, each with an index that is ordered by number.
    private var branches: [Condition] = []
    /// Whether nothing can match.
    private(set) var isEmpty = false

    init(_ filter: RelayEventFilter) {
        if let session = filter.sessionId {
            branches = [Condition(sql: "session = ?::uuid", values: [.uuid(PostgreSQLKey(text: session))])]
        }
        hold("client", filter.clients)
        hold("scenario", filter.scenarios)
        hold("name", filter.names)
        if let levels = filter.levels {
            if levels.isEmpty { isEmpty = true }
            let numbers = levels.map { Int16($0.storedNumber) }.sorted()
            conditions.append(Condition(sql: "level = ANY(?::smallint[])", values: [.int16s(numbers)]))
        }
        for (time, comparison) in [(filter.since, ">="), (filter.until, "<")] {
            guard let time else { continue }
            conditions.append(
                Condition(
                    sql: "(seconds, nanoseconds) \(comparison) (?::bigint, ?::integer)",
                    values: [.int64(time.seconds), .int32(time.nanoseconds)]))
        }
        if let since = filter.since, let until = filter.until, since >= until { isEmpty = true }
    }

    private mutating func hold(_ column: String, _ texts: Set<String>?) {
        guard let texts else { return }
        if texts.isEmpty { isEmpty = true }
        let keys = texts.map { PostgreSQLKey(text: $0) }.sorted()
        if branches.isEmpty, keys.count <= Self.few {
            branches = keys.map { Condition(sql: "\(column) = ?::uuid", values: [.uuid($0)]) }
        } else {
            conditions.append(Condition(sql: "\(column) = ANY(?::uuid[])", values: [.uuids(keys)]))
        }
    }

    /// Whether every event matches.
    var isAll: Bool { conditions.isEmpty && branches.isEmpty && !isEmpty }

    /// A statement under construction.
    struct Statement {
        private(set) var values: [PostgreSQLValue] = []

        /// Adds a parameter, and returns its SQL.
        mutating func bind(_ value: PostgreSQLValue) -> String {
            values.append(value)
            return "$\(values.count)"
        }

        /// Adds the parameters of a text in which `?` stands for the next one.
        mutating func bind(_ sql: String, _ values: [PostgreSQLValue]) -> String {
            var rest = values.makeIterator()
            return sql.split(separator: "?", omittingEmptySubsequences: false).reduce(into: "") { text, part in
                if !text.isEmpty, let value = rest.next() { text += bind(value) }
                text += part
            }
        }
    }

    /// The SQL after `WHERE` for all branches together.
    private func condition(_ statement: inout Statement) -> String {
        var parts = conditions.map { statement.bind($0.sql, $0.values) }
        if !branches.isEmpty {
            parts.append("(\(branches.map { statement.bind($0.sql, $0.values) }.joined(separator: " OR ")))")
        }
        return parts.isEmpty ? "true" : parts.joined(separator: " AND ")
    }

    /// A query for columns of the first matching events in order.
    /// - Parameter ranges: where to look, in this order, without overlap.
    func first(
        _ columns: String, in ranges: [ClosedRange<Int64>], _ order: RelayEventOrder, limit: Int, _ statement: inout Statement
    ) -> String {
        guard !isEmpty, !ranges.isEmpty else { return "SELECT \(columns) FROM event WHERE false" }
        let direction = order == .ascending ? "ASC" : "DESC"
        let span = Self.span(ranges, &statement)
        let limit = statement.bind(.int64(Int64(limit)))
        let parts = conditions.map { statement.bind($0.sql, $0.values) }
        let end = "number \(direction) LIMIT \(limit)::bigint"
        let queries = (branches.isEmpty ? [Condition(sql: "true", values: [])] : branches).map { branch in
            let condition = ([span.condition] + parts + [statement.bind(branch.sql, branch.values)]).joined(separator: " AND ")
            let query = "SELECT \(columns) FROM event WHERE \(condition) ORDER BY \(end)"
            guard let table = span.table else { return query }
            // In order of the ranges, so that the server stops after the first ones that have enough events.
            return "SELECT matching.* FROM \(table), LATERAL (\(query)) AS matching ORDER BY position, \(end)"
        }
        guard queries.count > 1 else { return queries[0] }
        return "SELECT * FROM (\(queries.map { "(\($0))" }.joined(separator: " UNION ALL "))) AS branches ORDER BY \(end)"
    }

    /// A query for the number of matching events.
    /// - Parameter ranges: where to look, without overlap; nil for everywhere.
    func count(in ranges: [ClosedRange<Int64>]?, _ statement: inout Statement) -> String {
        guard !isEmpty, ranges != [] else { return "SELECT 0::bigint" }
        let condition = condition(&statement)
        guard let ranges else { return "SELECT COUNT(*) FROM event WHERE \(condition)" }
        let span = Self.span(ranges, &statement)
        let query = "SELECT COUNT(*) AS events FROM event WHERE \(span.condition) AND \(condition)"
        guard let table = span.table else { return query }
        return "SELECT SUM(events)::bigint FROM \(table), LATERAL (\(query)) AS counted"
    }

    /// The condition that a number is in a range; of several ranges, the one of the current row of a table.
    private static func span(
        _ ranges: [ClosedRange<Int64>], _ statement: inout Statement
    ) -> (condition: String, table: String?) {
        if ranges.count == 1 {
            let bounds = [ranges[0].lowerBound, ranges[0].upperBound].map { "\(statement.bind(.int64($0)))::bigint" }
            return ("number BETWEEN \(bounds[0]) AND \(bounds[1])", nil)
        }
        let bounds = [ranges.map(\.lowerBound), ranges.map(\.upperBound)].map { "\(statement.bind(.int64s($0)))::bigint[]" }
        let table = "unnest(\(bounds[0]), \(bounds[1])) WITH ORDINALITY AS range (range_first, range_last, position)"
        return ("number BETWEEN range_first AND range_last", table)
    }
}
#endif
