import Foundation
import GRDB
@_spi(Tooling) import TelemetryModels

extension SQLiteDebugLogStorage {
    public func page(of query: DebugLogQuery) async throws -> DebugLogPage {
        try await database.read { db in
            let (conditions, arguments) = Self.conditions(of: query)
            let order = query.isDescending ? "DESC" : "ASC"
            var found = DebugLogPage.Found(for: query)
            // Row by row: a page is bounded by bytes too, and a row that cannot be read does not count.
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT *, length(CAST(payload AS BLOB)) + length(CAST(event AS BLOB)) AS size
                    FROM debug_log WHERE \(conditions) ORDER BY number \(order)
                    """,
                arguments: arguments)
            while let row = try rows.next() {
                let size = (try? row.decode(Int.self, forColumn: "size")) ?? 0
                guard found.hasRoom(for: size) else { break }
                guard let entry = try? Self.entry(row) else {
                    metrics.countUnreadable()
                    continue
                }
                found.add(entry, number: try row.decode(Int64.self, forColumn: "number"), size: size)
            }
            let newest = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'debug_log'") ?? 0
            return DebugLogPage(found, newest: newest)
        }
    }

    private static func conditions(of query: DebugLogQuery) -> (sql: String, arguments: StatementArguments) {
        var parts = ["TRUE"]
        var arguments = StatementArguments()
        func add(_ part: String, _ value: (any DatabaseValueConvertible)?, times: Int = 1) {
            guard let value else { return }
            parts.append(part)
            for _ in 0..<times { arguments += [value] }
        }
        add(query.isDescending ? "number < ?" : "number > ?", query.cursor)
        add("source = ?", query.source?.rawValue)
        add("level = ?", query.level?.rawValue)
        add("event = ?", query.event)
        add("correlation_id = ?", query.correlationId)
        add("session_id = ?", query.sessionId)
        add("device_id = ?", query.deviceId)
        add("timestamp >= ?", query.since?.timeIntervalSinceReferenceDate)
        add("timestamp < ?", query.until?.timeIntervalSinceReferenceDate)
        let pattern = query.text?.replacing(/[\\%_]/) { "\\\($0.output)" }
        add(#"(event LIKE ? ESCAPE '\' OR payload LIKE ? ESCAPE '\')"#, pattern.map { "%\($0)%" }, times: 2)
        return (parts.joined(separator: " AND "), arguments)
    }

    /// - Throws: where a column does not hold what it has to; the file may be damaged, or written by another program.
    private static func entry(_ row: Row) throws -> DebugLog {
        // Not as a number: SQLite would make one of any text.
        let seconds = Double.fromDatabaseValue(try row.decode(DatabaseValue.self, forColumn: "timestamp"))
        let timestamp = Date(timeIntervalSinceReferenceDate: seconds ?? .infinity)
        guard let source = DebugLog.Source(rawValue: try row.decode(forColumn: "source")),
            let level = DebugLog.Level(rawValue: try row.decode(forColumn: "level")),
            TimestampText.string(from: timestamp) != nil
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        let payload: String = try row.decode(forColumn: "payload")
        return DebugLog(
            id: try row.decode(forColumn: "id"), correlationId: try row.decode(forColumn: "correlation_id"),
            timestamp: timestamp, source: source, level: level, event: try row.decode(forColumn: "event"),
            payload: try JSONDecoder().decode([String: JSONValue].self, from: Data(payload.utf8)),
            deviceId: try row.decode(forColumn: "device_id"), sessionId: try row.decode(forColumn: "session_id"))
    }
}
