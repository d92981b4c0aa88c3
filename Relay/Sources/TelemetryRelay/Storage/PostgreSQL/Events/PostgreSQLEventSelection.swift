#if PostgreSQL
import PostgreSQLClient

/// Translates a filter to SQL, with texts as keys and values as parameters.
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
            let numbers = levels.map { Int16(EventBatch.number(of: $0)) }.sorted()
            conditions.append(Condition(sql: "level = ANY(?::smallint[])", values: [.int16s(numbers)]))
        }
        for (time, comparison) in [(filter.since, ">="), (filter.until, "<")] {
            guard let time else { continue }
            conditions.append(
                Condition(
                    sql: "(seconds, nanoseconds) \(comparison) (?::bigint, ?::integer)",
                    values: [.int64(time.seconds), .int32(time.nanoseconds)]))
        }
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
    func condition(_ statement: inout Statement) -> String {
        guard !isEmpty else { return "false" }
        var parts = conditions.map { statement.bind($0.sql, $0.values) }
        if !branches.isEmpty {
            parts.append("(\(branches.map { statement.bind($0.sql, $0.values) }.joined(separator: " OR ")))")
        }
        return parts.isEmpty ? "true" : parts.joined(separator: " AND ")
    }

    /// A query for columns of the first matching events in order, for numbers between two bounds, both excluded.
    func first(
        _ columns: String, after lower: Int64, before upper: Int64, _ order: RelayEventOrder, limit: Int,
        _ statement: inout Statement
    ) -> String {
        guard !isEmpty else { return "SELECT \(columns) FROM event WHERE false" }
        let direction = order == .ascending ? "ASC" : "DESC"
        let (lower, upper) = (statement.bind(.int64(lower)), statement.bind(.int64(upper)))
        let limit = statement.bind(.int64(Int64(limit)))
        var parts = ["number > \(lower)::bigint", "number < \(upper)::bigint"]
        parts += conditions.map { statement.bind($0.sql, $0.values) }
        let end = "ORDER BY number \(direction) LIMIT \(limit)::bigint"
        let queries = (branches.isEmpty ? [Condition(sql: "true", values: [])] : branches).map { branch in
            let condition = (parts + [statement.bind(branch.sql, branch.values)]).joined(separator: " AND ")
            return "SELECT \(columns) FROM event WHERE \(condition) \(end)"
        }
        guard queries.count > 1 else { return queries[0] }
        return "SELECT * FROM (\(queries.map { "(\($0))" }.joined(separator: " UNION ALL "))) AS branches \(end)"
    }
}
#endif
