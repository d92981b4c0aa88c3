import Foundation
import GRDB

/// A database file that relays may be using.
struct SQLiteFile {
    /// How long a write waits for those of relays.
    private static let patience: TimeInterval = 30

    let url: URL

    /// Copies the content as it is now to a new file, with access for its owner only. Writers do not wait. Any version of the tables
    /// is copied.
    /// - Throws: if the new file exists. After a failure, there is no new file.
    func backUp(to file: URL) throws {
        try withReader { queue in
            try queue.read { db in
                try requireTables(db)
                try Self.copy(db, to: file)
            }
        }
    }

    private func requireTables(_ db: Database) throws {
        guard try SQLiteSchema.exists(db) else { throw RelayConfigurationError("\(url.path) is not a relay's database") }
    }

    /// Verifies the file and its tables in one snapshot.
    func check() throws -> RelayCheckReport {
        var report = RelayCheckReport()
        do {
            try withReader { queue in
                try queue.read { db in
                    for fault in try String.fetchAll(db, sql: "PRAGMA integrity_check") where fault != "ok" {
                        report.add("SQLite: \(fault)")
                    }
                    let version = try SQLiteSchema.version(db)
                    DatabaseCheck.run(SQLiteConnection(database: db), version: version, of: SQLiteSchema.newest, &report)
                }
            }
        } catch let error as DatabaseError {
            report.add("SQLite: \(RelayStorageError.translated(error))")
        }
        return report
    }

    /// Replaces the content by that of a backup, in one transaction. Until it ends, other writers wait, or fail after some seconds.
    ///
    /// The database gets a new identity, and greater numbers than it and the backup had. So relays that use it notice, and refuse
    /// positions and forget what they cached from before. An entry of the audit records the restore.
    /// - Parameters:
    ///   - backup: verified first. One of an earlier version is upgraded.
    ///   - kept: where the replaced content is copied to.
    ///   - acceptsFaults: whether a backup with faults is restored too.
    /// - Returns: whether there was content to keep.
    func restore(
        from backup: SQLiteFile, keeping kept: URL, acceptsFaults: Bool = false, _ configuration: RelayStorageConfiguration
    ) throws -> Bool {
        guard url.resolvingSymlinksInPath() != backup.url.resolvingSymlinksInPath() else {
            throw RelayConfigurationError("\(backup.url.path) is the database itself")
        }
        let staged = SQLiteFile(url: Self.temporary(url))
        defer { staged.remove() }
        try SQLiteDatabase.prepare(staged.url)
        try backup.withReader { queue in
            try queue.read { db in
                try backup.requireTables(db)
                try Self.write(db, to: staged.url)
            }
        }
        let queue = try DatabaseQueue(path: staged.url.path, configuration: Self.settings(isReadOnly: false))
        defer { try? queue.close() }
        try SQLiteSchema.migrate(queue)
        if !acceptsFaults { try backup.requireIntact(staged.check()) }
        try SQLiteDatabase.prepare(url)
        return try queue.writeWithoutTransaction { try replace(by: $0, of: backup, keeping: kept, configuration) }
    }

    private func requireIntact(_ report: RelayCheckReport) throws {
        guard let fault = report.faults.first else { return }
        throw RelayConfigurationError(
            "\(url.path) is damaged: \(fault); \(report.summary); --accept-faults restores it nevertheless")
    }

    /// - Parameter staged: the content, which is changed.
    /// - Returns: whether there was content to keep.
    private func replace(
        by staged: Database, of backup: SQLiteFile, keeping kept: URL, _ configuration: RelayStorageConfiguration
    ) throws -> Bool {
        let pool: DatabasePool
        do {
            // The write-ahead log lets others read the old content meanwhile.
            pool = try DatabasePool(path: url.path, configuration: Self.settings(isReadOnly: false))
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw RelayConfigurationError(
                "SQLite cannot open it: stop the relay, move \(url.path) and its -wal and -shm away, and restore again")
        }
        defer { try? pool.close() }
        var (isBegun, isKept, isReplaced) = (false, false, false)
        // The first step begins a write, which the last one commits. The content has many more pages.
        let pages = try max(1, (Int32.fetchOne(staged, sql: "PRAGMA page_count") ?? 0) / 8)
        do {
            try pool.writeWithoutTransaction { db in
                // Returns once it is on the disk.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                // SQLite copies pages again that change in between.
                try staged.backup(to: db, pagesPerStep: pages) { progress in
                    isReplaced = progress.isCompleted
                    guard !isBegun else { return }
                    isBegun = true
                    let present = try withReader { queue in
                        try queue.read { present in
                            if try Int.fetchOne(present, sql: "SELECT COUNT(*) FROM sqlite_schema") != 0 {
                                try Self.copy(present, to: kept)
                                isKept = true
                            }
                            return try Self.state(of: present)
                        }
                    }
                    try staged.inTransaction {
                        try RestoredState(present, configuration)
                            .write(to: SQLiteConnection(database: staged), from: backup.url.lastPathComponent)
                        return .commit
                    }
                }
            }
        } catch {
            if isKept, !isReplaced { SQLiteFile(url: kept).remove() }
            throw error
        }
        return isKept
    }

    /// The state of a database that is replaced; nil for a new one, and for a damaged one, which has no numbers to continue.
    /// - Throws: if it is of another version, which a relay of that version may be using.
    private static func state(of db: Database) throws -> DatabaseStores.State? {
        do {
            let version = try SQLiteSchema.version(db)
            guard version == 0 || version == SQLiteSchema.newest else {
                throw RelayConfigurationError(
                    "it is of an earlier version: start the relay, which upgrades it, and restore again")
            }
            return version == 0 ? nil : try DatabaseStores.State.fetch(SQLiteConnection(database: db))
        } catch is DatabaseError {
            return nil
        } catch RelayStorageError.corrupt {
            return nil
        }
    }

    private func withReader<Value>(_ body: (DatabaseQueue) throws -> Value) throws -> Value {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw RelayConfigurationError("there is no database \(url.path)")
        }
        let queue = try DatabaseQueue(path: url.path, configuration: Self.settings(isReadOnly: true))
        defer { try? queue.close() }
        return try body(queue)
    }

    private static func settings(isReadOnly: Bool) -> Configuration {
        var settings = Configuration()
        settings.readonly = isReadOnly
        settings.busyMode = .timeout(patience)
        return settings
    }

    /// A new name beside a file.
    private static func temporary(_ file: URL) -> URL {
        URL(filePath: "\(file.path).partial-\(String(UInt32.random(in: .min ... .max), radix: 36))")
    }

    /// Copies a snapshot to a new file under a temporary name, and then renames it.
    private static func copy(_ db: Database, to file: URL) throws {
        guard !FileManager.default.fileExists(atPath: file.path) else {
            throw RelayConfigurationError("\(file.path) exists already")
        }
        let partial = SQLiteFile(url: temporary(file))
        do {
            guard FileManager.default.createFile(atPath: partial.url.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw RelayConfigurationError("cannot create a file in \(file.deletingLastPathComponent().path)") }
            try write(db, to: partial.url)
            // Fails if the file was created meanwhile.
            try FileManager.default.moveItem(at: partial.url, to: file)
            let directory = try FileHandle(forReadingFrom: file.deletingLastPathComponent())
            try directory.synchronize()
            try directory.close()
        } catch {
            partial.remove()
            throw error
        }
    }

    /// Copies a snapshot to an empty file, which needs no write-ahead log. Returns once it is on the disk.
    private static func write(_ db: Database, to file: URL) throws {
        let queue = try DatabaseQueue(path: file.path, configuration: settings(isReadOnly: false))
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { copy in
            try db.backup(to: copy)
            try copy.execute(sql: "PRAGMA journal_mode = DELETE")
        }
    }

    private func remove() {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}
