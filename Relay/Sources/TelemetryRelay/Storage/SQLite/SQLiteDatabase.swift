import Foundation
import GRDB
import Synchronization

/// The only access to an SQLite database.
struct SQLiteDatabase: StorageDatabase {
    /// The value of SQLite's `synchronous` setting.
    enum Synchronous: String {
        /// A write waits for the disk: acknowledged data survives a power failure.
        case full = "FULL"
        /// A write waits for the operating system: acknowledged data survives the end of the process, but the most recent writes
        /// may be lost in a power failure.
        case normal = "NORMAL"
    }

    /// The state of the writing connection, which is used on the write queue.
    private final class Writing: Sendable {
        /// Later work must not use the connection, which GRDB does not check.
        let isClosed = Mutex(false)
        /// The pool sets it on the writing connection.
        let synchronous = Mutex(Synchronous.normal)
    }

    let writer: any DatabaseWriter
    /// Nil for a database in memory, which has one connection.
    private let turns: Turns?
    private let queryTime: Duration
    /// That of transactions, except those of the audit alone.
    private let synchronous: Synchronous
    private let writing = Writing()

    init(
        writer: any DatabaseWriter, turns: Turns? = nil, queryTime: Duration = .zero, synchronous: Synchronous = .normal
    ) {
        (self.writer, self.turns, self.queryTime, self.synchronous) = (writer, turns, queryTime, synchronous)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value {
        guard turns != nil else { return try await perform { try body(SQLiteConnection(database: $0)) } }
        do {
            return try await writer.read { try body(SQLiteConnection(database: $0)) }
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    func query<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value {
        guard let turns else { return try await read(body) }
        return try await turns.run(within: queryTime) { try await read(body) }
    }

    func rows(_ sql: String, _ values: [StorageValue]) async throws -> [StorageRow] {
        try await read { try $0.rows(sql, values) }
    }

    func write<Value: Sendable>(
        _ part: StoragePart, _ body: @escaping @Sendable (any StorageConnection) throws -> Value,
        done: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        perform(
            { db in
                try setSynchronous(part == .audit ? .normal : synchronous, db)
                return try Self.transaction(db) { try body(SQLiteConnection(database: db)) }
            }, done: done)
    }

    /// Sets what the next transactions wait for.
    private func setSynchronous(_ synchronous: Synchronous, _ db: Database) throws {
        try writing.synchronous.withLock { current in
            guard current != synchronous else { return }
            try db.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
            current = synchronous
        }
    }

    /// How long a connection waits for others of the same file, in seconds.
    static let busySeconds = 5

    /// Moves the write-ahead log into the main file if it has more than `limit` bytes. SQLite itself begins it anew only when nobody
    /// reads, so that queries that overlap let it grow without end.
    func shortenLog(above limit: Int = 64 << 20) async throws {
        guard let turns, let pool = writer as? DatabasePool else { return }
        let size = try? FileManager.default.attributesOfItem(atPath: pool.path + "-wal")[.size] as? Int
        guard let size, size > limit else { return }
        try await turns.whilePaused {
            try await perform { db in
                // Nothing is written while it waits for readers. If they take longer, it is tried again later.
                try db.execute(sql: "PRAGMA busy_timeout = 200")
                defer { try? db.execute(sql: "PRAGMA busy_timeout = \(Self.busySeconds * 1_000)") }
                _ = try db.checkpoint(.truncate)
            }
        }
    }

    /// Closes the database after the writes in progress.
    func close() async throws {
        try await perform { [writing] db in
            // Moves all data into the main file, for copies of it. On a full disk, the data stays in the write-ahead log.
            _ = try? db.checkpoint(.passive)
            writing.isClosed.withLock { $0 = true }
        }
        do {
            try writer.close()
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    private func perform<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            perform(body) { continuation.resume(with: $0) }
        }
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value, done: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        writer.asyncWriteWithoutTransaction { [writing] db in
            let result = Result {
                guard !writing.isClosed.withLock(\.self) else { throw RelayStorageError.closed }
                return try body(db)
            }
            done(result.mapError(RelayStorageError.translated))
        }
    }

    /// Runs a transaction that takes the write lock immediately, so that it does not fail because of a concurrent write.
    private static func transaction<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        var value: Value?
        try db.inTransaction(.immediate) {
            value = try body()
            return .commit
        }
        guard let value else { throw RelayStorageError.unavailable("the transaction did not run") }
        return value
    }
}

extension RelayStorageError {
    /// Translates a database error to ``RelayStorageError``; returns other errors unchanged.
    static func translated(_ error: any Error) -> any Error {
        if error is RowDecodingError { return Self.corrupt("a row cannot be read") }
        guard let error = error as? DatabaseError else { return error }
        let reason = error.message ?? "error \(error.extendedResultCode.rawValue)"
        return switch error.resultCode {
        case .SQLITE_FULL: Self.full
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: Self.corrupt(reason)
        case .SQLITE_MISUSE: Self.closed
        case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: Self.refused(reason)
        default: Self.unavailable(reason)
        }
    }
}
