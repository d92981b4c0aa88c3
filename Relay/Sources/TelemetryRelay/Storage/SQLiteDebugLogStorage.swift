public import Foundation
import GRDB

/// Keeps entries in an SQLite file; readers do not wait for writers.
public struct SQLiteDebugLogStorage: DebugLogStorage {
    let pool: DatabasePool
    let retention: DebugLogRetention
    let metrics: RelayMetrics
    let now: @Sendable () -> Date

    /// Opens the file, or makes it, for its owner only.
    /// - Parameters:
    ///   - retention: how much is kept.
    ///   - metrics: counts what is deleted.
    ///   - now: the time at which entries arrive.
    public init(
        file: URL, retention: DebugLogRetention = .init(), metrics: RelayMetrics = .init(),
        now: @escaping @Sendable () -> Date = { .now }
    ) throws {
        self.retention = retention
        self.metrics = metrics
        self.now = now
        let directory = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if !FileManager.default.fileExists(atPath: file.path) {
            guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteNoPermission) }
        }
        var configuration = Configuration()
        // Another program may look into the file.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_size_limit = 16777216") }
        pool = try DatabasePool(path: file.path, configuration: configuration)
        try Self.migrator(now: now()).migrate(pool)
    }

    static func migrator(now: Date) -> DatabaseMigrator {
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
        migrator.registerMigration("arrival") { db in
            // What is there already counts as arrived now; a constant costs nothing, however many there are.
            let arrival = now.timeIntervalSinceReferenceDate
            try db.execute(sql: "ALTER TABLE debug_log ADD COLUMN received REAL NOT NULL DEFAULT \(arrival)")
        }
        return migrator
    }

    public func store(_ entries: [DebugLog]) async throws -> Int {
        let rows = try entries.map { ($0, try $0.payloadText) }
        let received = now()
        let (stored, deleted) = try await pool.write { db in
            // Not INSERT OR IGNORE, which uses up a number for each duplicate.
            let insert = try db.cachedStatement(
                sql: """
                    INSERT INTO debug_log
                    (id, correlation_id, timestamp, source, level, event, payload, device_id, session_id, received)
                    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
                    WHERE NOT EXISTS (SELECT 1 FROM debug_log WHERE id = ?1)
                    """)
            let before = db.totalChangesCount
            for (entry, payload) in rows {
                try insert.execute(arguments: [
                    entry.id, entry.correlationId, entry.timestamp.timeIntervalSinceReferenceDate, entry.source.rawValue,
                    entry.level.rawValue, entry.event, payload, entry.deviceId, entry.sessionId,
                    received.timeIntervalSinceReferenceDate,
                ])
            }
            let stored = db.totalChangesCount - before
            return (stored, try trim(db, now: received))
        }
        metrics.countDeleted(deleted)
        return stored
    }
}
