import Foundation
import GRDB

extension RelayDatabase {
    /// What a write waits for before it counts as done.
    enum Synchronous: String, Sendable {
        /// The disk: nothing that was answered is lost, also when the power fails.
        case full = "FULL"
        /// The system: nothing is lost when the process is killed; the last moments may be when the power fails.
        case normal = "NORMAL"
    }

    /// A file up to this size is checked as a whole when it is opened, in bytes.
    private static let checkedSize = 256 << 20

    /// A database that goes with the process, and behaves like a file otherwise.
    static func inMemory() throws -> RelayDatabase {
        let database = RelayDatabase(writer: try DatabaseQueue())
        try RelaySchema.migrate(database.writer)
        return database
    }

    /// Opens the file, or makes it, for its owner only. A file that is no database, or a damaged one, is not changed.
    /// - Throws: ``RelayStorageError``; a `CocoaError` where file or directory cannot be made.
    static func open(file: URL, synchronous: Synchronous) throws -> RelayDatabase {
        do {
            try prepare(file)
            try check(file)
            var configuration = Configuration()
            // Another relay, or another program, may write into the file.
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_size_limit = 16777216") }
            let pool = try DatabasePool(path: file.path, configuration: configuration)
            // The pool has set NORMAL on the connection that writes.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)") }
            try RelaySchema.migrate(pool)
            return RelayDatabase(writer: pool)
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    private static func prepare(_ file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard !FileManager.default.fileExists(atPath: file.path) else { return }
        guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    /// Reads the file without writing into it; a large one in part, since that takes seconds for each gigabyte.
    private static func check(_ file: URL) throws {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        guard size > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { db in
            // SQLite reads a file that was cut off until it comes to a page that is missing.
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
