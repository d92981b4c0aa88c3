public import Foundation
import GRDB

/// Stores debug log entries in an SQLite file, whose readers do not wait for writers, or in memory.
public struct SQLiteDebugLogStorage: DebugLogStorage {
    /// True for a file, which several relays may open.
    public let isShared: Bool
    let database: any DatabaseWriter
    let retention: DebugLogRetention
    let metrics: RelayMetrics
    let now: @Sendable () -> Date
    let clock: ArrivalClock

    /// Opens the file, or creates it with access for its owner only.
    /// - Parameters:
    ///   - retention: the retention limits.
    ///   - metrics: counts deleted entries.
    ///   - now: the wall clock, which measures the time between two runs.
    ///   - uptime: a monotonic clock, which measures the age of entries; nil uses one that advances while the machine sleeps.
    public init(
        file: URL, retention: DebugLogRetention = .init(), metrics: RelayMetrics = .init(),
        now: @escaping @Sendable () -> Date = { .now }, uptime: (@Sendable () -> Duration)? = nil
    ) throws {
        let directory = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if !FileManager.default.fileExists(atPath: file.path) {
            guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteNoPermission) }
        }
        var configuration = Configuration()
        // Another program may have the file open.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_size_limit = 16777216") }
        try self.init(
            DatabasePool(path: file.path, configuration: configuration), isShared: true, retention: retention, metrics: metrics,
            now: now, uptime: uptime)
    }

    /// Keeps the entries in memory.
    /// - Parameters:
    ///   - retention: the retention limits.
    ///   - metrics: counts deleted entries.
    ///   - now: the wall clock, which does not measure ages here.
    ///   - uptime: a monotonic clock, which measures the age of entries; nil uses one that advances while the machine sleeps.
    public init(
        inMemory retention: DebugLogRetention, metrics: RelayMetrics = .init(),
        now: @escaping @Sendable () -> Date = { .now }, uptime: (@Sendable () -> Duration)? = nil
    ) throws {
        try self.init(
            DatabaseQueue(), isShared: false, retention: retention, metrics: metrics, now: now, uptime: uptime)
    }

    private init(
        _ database: any DatabaseWriter, isShared: Bool, retention: DebugLogRetention, metrics: RelayMetrics,
        now: @escaping @Sendable () -> Date, uptime: (@Sendable () -> Duration)?
    ) throws {
        self.database = database
        self.isShared = isShared
        self.retention = retention
        self.metrics = metrics
        self.now = now
        try Self.migrator(now: now()).migrate(database)
        let wall = now().timeIntervalSinceReferenceDate
        let uptime = uptime ?? ArrivalClock.continuous()
        // Does not write to an existing file, so that it can be searched when the disk is full.
        if let saved = try database.read(Self.savedClock) {
            clock = ArrivalClock(after: saved, wall: wall, age: retention.age, uptime: uptime)
        } else {
            clock = try database.write { try Self.firstClock($0, wall: wall, age: retention.age, uptime: uptime) }
        }
    }

    /// The approximate number of bytes of an entry in the table and its indexes, in addition to its strings.
    private static let rowOverhead = 250

    static func migrator(now: Date) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("debug logs") { db in
            // AUTOINCREMENT: numbers are cursors that clients keep, so a number is never reused, even after deletions.
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
            // Existing entries count as arrived now. Adding a column with a constant default takes constant time.
            let arrival = now.timeIntervalSinceReferenceDate
            try db.execute(sql: "ALTER TABLE debug_log ADD COLUMN received REAL NOT NULL DEFAULT \(arrival)")
        }
        migrator.registerMigration("clock") { db in
            try db.execute(
                sql:
                    "CREATE TABLE debug_log_clock (id INTEGER PRIMARY KEY CHECK (id = 1), arrival REAL NOT NULL, wall REAL NOT NULL)"
            )
        }
        migrator.registerMigration("size") { db in
            // Counted here, because telemetry uses pages of the same file.
            func size(_ row: String) -> String {
                "LENGTH(CAST(\(row)payload AS BLOB)) + LENGTH(CAST(\(row)event AS BLOB)) + \(rowOverhead)"
            }
            try db.execute(
                sql: """
                    CREATE TABLE debug_log_size (bytes INTEGER NOT NULL);
                    INSERT INTO debug_log_size SELECT COALESCE(SUM(\(size(""))), 0) FROM debug_log;
                    CREATE TRIGGER debug_log_stored AFTER INSERT ON debug_log BEGIN
                        UPDATE debug_log_size SET bytes = bytes + \(size("NEW."));
                    END;
                    CREATE TRIGGER debug_log_deleted AFTER DELETE ON debug_log BEGIN
                        UPDATE debug_log_size SET bytes = bytes - (\(size("OLD.")));
                    END;
                    """)
        }
        return migrator
    }

    public func store(_ entries: [DebugLog]) async throws -> Int {
        let rows = try entries.map { ($0, try $0.payloadText) }
        let wall = now().timeIntervalSinceReferenceDate
        let (stored, deleted) = try await database.write { db in
            // Not INSERT OR IGNORE, which consumes a number for each duplicate.
            let insert = try db.cachedStatement(
                sql: """
                    INSERT INTO debug_log
                    (id, correlation_id, timestamp, source, level, event, payload, device_id, session_id, received)
                    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
                    WHERE NOT EXISTS (SELECT 1 FROM debug_log WHERE id = ?1)
                    """)
            // Read inside the write transaction, so that arrivals are in the order of numbers.
            let received = clock.now
            var stored = 0
            for (entry, payload) in rows {
                try insert.execute(arguments: [
                    entry.id, entry.correlationId, entry.timestamp.timeIntervalSinceReferenceDate, entry.source.rawValue,
                    entry.level.rawValue, entry.event, payload, entry.deviceId, entry.sessionId,
                    received,
                ])
                stored += db.changesCount
            }
            try Self.saveClock(db, arrival: received, wall: wall)
            return (stored, try trim(db, now: received))
        }
        metrics.countDeleted(deleted)
        return stored
    }
}
