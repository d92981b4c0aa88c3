import Foundation
import GRDB

extension SQLiteDebugLogStorage {
    public func page(of query: DebugLogQuery) async throws -> DebugLogPage {
        try await pool.read { db in
            let (conditions, arguments) = Self.conditions(of: query)
            let order = query.isDescending ? "DESC" : "ASC"
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT * FROM debug_log WHERE \(conditions) ORDER BY number \(order) LIMIT ?",
                arguments: arguments + [query.limit + 1])
            let newest = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'debug_log'") ?? 0
            return DebugLogPage(found: try rows.map { ($0["number"], try Self.entry($0)) }, query: query, newest: newest)
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

    private static func entry(_ row: Row) throws -> DebugLog {
        guard let source = DebugLog.Source(rawValue: row["source"]), let level = DebugLog.Level(rawValue: row["level"]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "debug_log \(row["number"] as Int64): source or level")
        }
        let payload: String = row["payload"]
        return DebugLog(
            id: row["id"], correlationId: row["correlation_id"],
            timestamp: Date(timeIntervalSinceReferenceDate: row["timestamp"]), source: source, level: level,
            event: row["event"], payload: try JSONDecoder().decode([String: JSONValue].self, from: Data(payload.utf8)),
            deviceId: row["device_id"], sessionId: row["session_id"])
    }
}
