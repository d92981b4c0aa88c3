import Foundation
import GRDB

extension SQLiteDatabase {
    /// The maximum number of reads at once.
    private static let readers = 5

    /// The maximum size of a file that is checked completely on opening, in bytes.
    private static let checkedSize = 256 << 20

    /// Creates a database in memory.
    static func inMemory() throws -> SQLiteDatabase {
        let database = SQLiteDatabase(writer: try DatabaseQueue())
        try SQLiteSchema.migrate(database.writer)
        return database
    }

    /// Opens the file, or creates it with access for its owner only. Does not change a file that is not a database or is damaged.
    /// - Throws: ``RelayStorageError``; a `CocoaError` if the file or its directory cannot be created.
    static func open(file: URL, _ configuration: RelayStorageConfiguration) throws -> SQLiteDatabase {
        do {
            try prepare(file)
            try check(file)
            var settings = Configuration()
            // Another relay or program may write to the file.
            settings.busyMode = .timeout(TimeInterval(busySeconds))
            settings.maximumReaderCount = readers
            settings.prepareDatabase { try $0.execute(sql: "PRAGMA journal_size_limit = 16777216") }
            let pool = try DatabasePool(path: file.path, configuration: settings)
            try SQLiteSchema.migrate(pool)
            // One reader is left for the check of tokens and other short reads.
            return SQLiteDatabase(
                writer: pool, turns: Turns(maximum: readers - 1, clock: configuration.clock), queryTime: configuration.queryTime,
                synchronous: configuration.survivesPowerCuts ? .full : .normal)
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    /// Creates an empty file with access for its owner only, unless it exists, and its directory.
    static func prepare(_ file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard !FileManager.default.fileExists(atPath: file.path) else { return }
        guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    /// Checks the file without writing to it. Checks a large file only in part, because a complete check takes seconds per
    /// gigabyte.
    private static func check(_ file: URL) throws {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        guard size > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(TimeInterval(busySeconds))
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { db in
            // SQLite does not detect a truncated file until it reads a missing page.
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            let log = (try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int) ?? 0
            guard log > 0 || pages * pageSize <= size else {
                throw RelayStorageError.corrupt("the file has \(size) bytes of \(pages * pageSize)")
            }
            guard size <= checkedSize else {
                _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_schema")
                return
            }
            let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
            guard found == "ok" else { throw RelayStorageError.corrupt(found) }
        }
    }
}
