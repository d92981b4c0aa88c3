public import Foundation
import GRDB

/// Keeps entries in an SQLite file; readers do not wait for writers.
public struct SQLiteDebugLogStorage: DebugLogStorage {
    private let pool: DatabasePool
    private let capacity: Int

    /// Opens the file, or makes it, for its owner only.
    /// - Parameter capacity: so many entries are kept, the newest.
    public init(file: URL, capacity: Int = 1_000_000) throws {
        self.capacity = capacity
        let directory = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if !FileManager.default.fileExists(atPath: file.path) {
            guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteNoPermission) }
        }
        pool = try DatabasePool(path: file.path)
        try Self.migrator.migrate(pool)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("debug logs") { db in
            // AUTOINCREMENT: a number is a cursor that clients hold, so none is given twice, also after deletions.
            try db.execute(
                sql: """
                    CREATE TABLE debug_log (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id BLOB NOT NULL UNIQUE,
                        correlation_id BLOB NOT NULL,
                        timestamp REAL NOT NULL,
                        source TEXT NOT NULL,
                        level TEXT NOT NULL,
                        event TEXT NOT NULL,
                        payload TEXT NOT NULL,
                        device_id BLOB,
                        session_id BLOB NOT NULL
                    );
                    CREATE INDEX debug_log_correlation ON debug_log (correlation_id, number);
                    CREATE INDEX debug_log_session ON debug_log (session_id, number);
                    """)
        }
        return migrator
    }

    public func store(_ entries: [DebugLog]) async throws -> Int {
        let rows = try entries.map { ($0, try $0.payloadText) }
        return try await pool.write { [capacity] db in
            // Not INSERT OR IGNORE, which uses up a number for each duplicate.
            let insert = try db.cachedStatement(
                sql: """
                    INSERT INTO debug_log
                    (id, correlation_id, timestamp, source, level, event, payload, device_id, session_id)
                    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
                    WHERE NOT EXISTS (SELECT 1 FROM debug_log WHERE id = ?1)
                    """)
            let before = db.totalChangesCount
            for (entry, payload) in rows {
                try insert.execute(arguments: [
                    entry.id, entry.correlationId, entry.timestamp.timeIntervalSinceReferenceDate, entry.source.rawValue,
                    entry.level.rawValue, entry.event, payload, entry.deviceId, entry.sessionId,
                ])
            }
            let stored = db.totalChangesCount - before
            // Numbers have no holes, so that this keeps just so many and deletes one range.
            try db.execute(
                sql: "DELETE FROM debug_log WHERE number <= (SELECT MAX(number) FROM debug_log) - ?", arguments: [capacity])
            return stored
        }
    }

    public func count() async throws -> Int {
        try await pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM debug_log") ?? 0 }
    }

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
            event: row["event"], payload: try JSONDecoder().decode([String: JSON].self, from: Data(payload.utf8)),
            deviceId: row["device_id"], sessionId: row["session_id"])
    }
}
