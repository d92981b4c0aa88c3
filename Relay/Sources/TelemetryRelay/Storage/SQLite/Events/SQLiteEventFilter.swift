import Foundation
import GRDB

/// Translates a filter to SQL, with strings as keys and values as arguments.
struct SQLiteEventFilter {
    /// Conditions on an event's own columns, except the name.
    private var conditions: [String] = []
    private var arguments: StatementArguments = []
    private var names: [Data]?
    /// The range of seconds that the filter's times allow; nil without times.
    private var seconds: ClosedRange<Int64>?
    /// The query for the streams, if the filter names clients or a session.
    private var streams: (query: String, arguments: StatementArguments)?
    /// Whether nothing can match.
    private(set) var isEmpty = false

    init(_ filter: RelayEventFilter) {
        func holds(_ column: String, _ values: [any DatabaseValueConvertible]?) {
            guard let values else { return }
            if values.isEmpty { isEmpty = true }
            // No index covers this column; the plus sign keeps SQLite from building a temporary index.
            conditions.append("+\(column) IN (\(Self.marks(values.count)))")
            arguments += StatementArguments(values)
        }
        holds("scenario_key", filter.scenarios?.map(NameKey.data))
        holds("level", filter.levels?.map(EventBatch.number))
        names = filter.names?.map(NameKey.data)
        setTimes(filter)
        if filter.clients?.isEmpty ?? false || names?.isEmpty ?? false { isEmpty = true }
        setStreams(filter)
    }

    private mutating func setTimes(_ filter: RelayEventFilter) {
        if let since = filter.since { compare(">=", since) }
        if let until = filter.until { compare("<", until) }
        let (first, last) = (filter.since?.seconds ?? .min, filter.until?.seconds ?? .max)
        if first > last { isEmpty = true } else if filter.since != nil || filter.until != nil { seconds = first...last }
    }

    private mutating func compare(_ comparison: String, _ time: RelayTime) {
        conditions.append("(seconds, nanoseconds) \(comparison) (?, ?)")
        arguments += [time.seconds, time.nanoseconds]
    }

    private mutating func setStreams(_ filter: RelayEventFilter) {
        guard filter.clients != nil || filter.sessionId != nil else { return }
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if let clients = filter.clients {
            conditions.append("client IN (\(Self.clients(clients.count)))")
            arguments += StatementArguments(clients.map(NameKey.data))
        }
        if let session = filter.sessionId {
            conditions.append("session_key = ?")
            arguments += [NameKey.data(of: session)]
        }
        streams = ("SELECT id FROM event_stream WHERE \(conditions.joined(separator: " AND "))", arguments)
    }

    /// An SQL query for the numbers of this many clients.
    static func clients(_ count: Int) -> String { "SELECT id FROM event_client WHERE client_key IN (\(marks(count)))" }

    private static func marks(_ count: Int) -> String { repeatElement("?", count: count).joined(separator: ", ") }

    /// Whether to read only the blocks whose time range overlaps the filter's.
    private var isByBlock: Bool { seconds != nil && streams == nil }

    /// The SQL between `FROM` and `ORDER BY`, without the condition on streams.
    ///
    /// Events are in order of arrival, not of time. The blocks' time ranges limit which events are read.
    private func source(in range: ClosedRange<Int64>?, index: String? = nil) -> (sql: String, arguments: StatementArguments) {
        var (conditions, arguments) = (conditions, arguments)
        var tables = "event"
        if let index { tables += " INDEXED BY \(index)" }
        if let seconds, isByBlock {
            tables = "event_span CROSS JOIN \(tables)"
            let (first, last) = EventSpan.numbers
            conditions.append("last >= ? AND first <= ? AND number BETWEEN \(first) AND \(last)")
            arguments += [seconds.lowerBound, seconds.upperBound]
            if let range {
                conditions.append("block BETWEEN ? AND ?")
                arguments += [EventSpan.block(of: range.lowerBound), EventSpan.block(of: range.upperBound)]
            }
        }
        if let range {
            // With blocks, the plus sign makes SQLite use the block's bounds.
            conditions.append("\(isByBlock ? "+" : "")number BETWEEN ? AND ?")
            arguments += [range.lowerBound, range.upperBound]
        }
        return ("\(tables) WHERE \(conditions.isEmpty ? "1" : conditions.joined(separator: " AND "))", arguments)
    }

    /// An order by number that SQLite can produce without sorting.
    private func sorting(_ order: RelayEventOrder) -> String {
        let direction = order == .ascending ? "ASC" : "DESC"
        return isByBlock ? "block \(direction), number \(direction)" : "number \(direction)"
    }

    func count(_ db: Database) throws -> Int {
        if isEmpty { return 0 }
        if conditions.isEmpty, streams == nil, names == nil { return Int(try RelayState.fetch(db).events) }
        var (sql, arguments) = source(in: nil)
        if let names {
            // With streams, the plus sign makes SQLite use the index of streams.
            sql += " AND \(streams == nil ? "" : "+")name_key IN (\(Self.marks(names.count)))"
            arguments += StatementArguments(names)
        }
        if let streams {
            sql += " AND stream IN (\(streams.query))"
            arguments += streams.arguments
        }
        return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(sql)", arguments: arguments) ?? 0
    }

    /// The numbers of the first matching events, in order.
    func numbers(_ db: Database, in range: ClosedRange<Int64>, _ order: RelayEventOrder, limit: Int) throws -> [Int64] {
        if isEmpty { return [] }
        if let few = try fewStreams(db) {
            return try numbers(db, in: range, order, limit: limit, each: "stream", of: few, index: "event_by_stream")
        }
        if streams == nil, let names, names.count <= Self.few {
            return try numbers(db, in: range, order, limit: limit, each: "name_key", of: names, index: "event_by_name")
        }
        var (sql, arguments) = source(in: range)
        // The plus signs keep SQLite from collecting and sorting all events with these names and streams.
        if let names {
            sql += " AND +name_key IN (\(Self.marks(names.count)))"
            arguments += StatementArguments(names)
        }
        if let streams {
            sql += " AND +stream IN (\(streams.query))"
            arguments += streams.arguments
        }
        return try Int64.fetchAll(
            db, sql: "SELECT number FROM \(sql) ORDER BY \(sorting(order)) LIMIT ?", arguments: arguments + [limit])
    }

    /// Reads the first events for each value of a column from its index, and merges them.
    private func numbers(
        _ db: Database, in range: ClosedRange<Int64>, _ order: RelayEventOrder, limit: Int, each column: String,
        of values: [any DatabaseValueConvertible], index: String
    ) throws -> [Int64] {
        var (sql, arguments) = source(in: range, index: index)
        if column != "name_key", let names {
            sql += " AND +name_key IN (\(Self.marks(names.count)))"
            arguments += StatementArguments(names)
        }
        let statement = try db.makeStatement(
            sql: "SELECT number FROM \(sql) AND \(column) = ? ORDER BY \(sorting(order)) LIMIT ?")
        var numbers: [Int64] = []
        for value in values {
            numbers += try Int64.fetchAll(statement, arguments: arguments + [value, limit])
        }
        numbers.sort { order == .ascending ? $0 < $1 : $0 > $1 }
        return Array(numbers.prefix(limit))
    }

    /// The maximum number of streams or names that are looked up one by one.
    private static let few = 200

    /// The filter's streams, if it names clients or a session and there are few; nil means to read all events.
    private func fewStreams(_ db: Database) throws -> [Int64]? {
        guard let streams else { return nil }
        let found = try Int64.fetchAll(
            db, sql: "\(streams.query) LIMIT ?", arguments: streams.arguments + [Self.few + 1])
        return found.count > Self.few ? nil : found
    }
}
