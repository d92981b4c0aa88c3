import Foundation
import GRDB

/// A filter in SQL, its texts as keys and its values as arguments.
struct EventSelection {
    /// What concerns an event's own columns.
    private var conditions: [String] = []
    private var arguments: StatementArguments = []
    /// Which streams, where the filter names clients or a session.
    private var streams: (query: String, arguments: StatementArguments)?
    /// Whether nothing can match.
    private(set) var isEmpty = false

    init(_ filter: RelayEventFilter) {
        func holds(_ column: String, _ values: [any DatabaseValueConvertible]?) {
            guard let values else { return }
            if values.isEmpty { isEmpty = true }
            conditions.append("\(column) IN (\(Self.marks(values.count)))")
            arguments += StatementArguments(values)
        }
        holds("name_key", filter.names?.map(NameKey.data))
        holds("scenario_key", filter.scenarios?.map(NameKey.data))
        holds("level", filter.levels?.map(EventBatch.number))
        if let since = filter.since { compare(">=", since) }
        if let until = filter.until { compare("<", until) }
        if filter.clients?.isEmpty ?? false { isEmpty = true }
        setStreams(filter)
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

    /// The numbers of so many clients, in SQL.
    static func clients(_ count: Int) -> String { "SELECT id FROM event_client WHERE client_key IN (\(marks(count)))" }

    private static func marks(_ count: Int) -> String { repeatElement("?", count: count).joined(separator: ", ") }

    /// What follows `WHERE` for a scan in the order of numbers, or by the streams where `byStream`.
    private func clause(_ range: ClosedRange<Int64>?, byStream: Bool) -> (sql: String, arguments: StatementArguments) {
        var (conditions, arguments) = (conditions, arguments)
        if let streams {
            // The plus sign keeps SQLite from collecting and sorting all events of these streams.
            conditions.append("\(byStream ? "" : "+")stream IN (\(streams.query))")
            arguments += streams.arguments
        }
        if let range {
            conditions.append("number BETWEEN ? AND ?")
            arguments += [range.lowerBound, range.upperBound]
        }
        return (conditions.isEmpty ? "1" : conditions.joined(separator: " AND "), arguments)
    }

    func count(_ db: Database) throws -> Int {
        if isEmpty { return 0 }
        if conditions.isEmpty, streams == nil { return Int(try RelayState.fetch(db).events) }
        let clause = clause(nil, byStream: true)
        return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM event WHERE \(clause.sql)", arguments: clause.arguments) ?? 0
    }

    /// The numbers of the first events that match, in order.
    func numbers(_ db: Database, in range: ClosedRange<Int64>, _ order: RelayEventOrder, limit: Int) throws -> [Int64] {
        if isEmpty { return [] }
        let direction = order == .ascending ? "ASC" : "DESC"
        guard let few = try fewStreams(db) else {
            let clause = clause(range, byStream: false)
            return try Int64.fetchAll(
                db, sql: "SELECT number FROM event WHERE \(clause.sql) ORDER BY number \(direction) LIMIT ?",
                arguments: clause.arguments + [limit])
        }
        // Each stream's first ones, from its index, and of them all the first.
        let own = conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
        let statement = try db.makeStatement(
            sql: """
                SELECT number FROM event
                WHERE \(own) AND stream = ? AND number BETWEEN ? AND ? ORDER BY number \(direction) LIMIT ?
                """)
        var numbers: [Int64] = []
        for stream in few {
            numbers += try Int64.fetchAll(
                statement, arguments: arguments + [stream, range.lowerBound, range.upperBound, limit])
        }
        numbers.sort { order == .ascending ? $0 < $1 : $0 > $1 }
        return Array(numbers.prefix(limit))
    }

    /// The streams, where the filter names clients or a session and these have few; nil means to look at every event.
    private func fewStreams(_ db: Database) throws -> [Int64]? {
        guard let streams else { return nil }
        let most = 200
        let found = try Int64.fetchAll(db, sql: "\(streams.query) LIMIT ?", arguments: streams.arguments + [most + 1])
        return found.count > most ? nil : found
    }
}
