import Foundation
import GRDB
import Synchronization

/// The only access to the database. Translates errors to ``RelayStorageError``, and completes a write that has begun.
struct RelayDatabase: Sendable {
    /// Set on the write queue. Later work must not use the connection, which GRDB does not check.
    private final class Closing: Sendable {
        let isClosed = Mutex(false)
    }

    let writer: any DatabaseWriter
    /// Nil for a database in memory, which has one connection.
    private let turns: Turns?
    private let queryTime: Duration
    private let closing = Closing()

    init(writer: any DatabaseWriter, turns: Turns? = nil, queryTime: Duration = .zero) {
        (self.writer, self.turns, self.queryTime) = (writer, turns, queryTime)
    }

    /// Enqueues work on the serial write queue. The database is nil once it is closed.
    func enqueue(_ work: @escaping @Sendable (Database?) -> Void) {
        writer.asyncWriteWithoutTransaction { [closing] db in work(closing.isClosed.withLock(\.self) ? nil : db) }
    }

    /// Reads from one snapshot.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        guard turns != nil else { return try await perform(body) }
        do {
            return try await writer.read(body)
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    /// Reads what may take long, such as many events, from one snapshot when it is the request's turn.
    func query<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        guard let turns else { return try await perform(body) }
        return try await turns.run(within: queryTime) { try await read(body) }
    }

    /// Writes in one transaction. Cancelling the task has no effect.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await perform { db in try Self.transaction(db) { try body(db) } }
    }

    /// Moves the write-ahead log into the main file if it has more than `limit` bytes. SQLite itself begins it anew only when nobody
    /// reads, so that queries that overlap let it grow without end.
    func shortenLog(above limit: Int = 64 << 20) async throws {
        guard let turns, let pool = writer as? DatabasePool else { return }
        let size = try? FileManager.default.attributesOfItem(atPath: pool.path + "-wal")[.size] as? Int
        guard let size, size > limit else { return }
        try await turns.whilePaused { try await perform { db in _ = try db.checkpoint(.truncate) } }
    }

    /// Closes the database after the writes in progress.
    func close() async throws {
        try await perform { [closing] db in
            // Moves all data into the main file, for copies of it. On a full disk, the data stays in the write-ahead log.
            _ = try? db.checkpoint(.passive)
            closing.isClosed.withLock { $0 = true }
        }
        do {
            try writer.close()
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    private func perform<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue { db in
                let result = Result {
                    guard let db else { throw RelayStorageError.closed }
                    return try body(db)
                }
                continuation.resume(with: result.mapError(RelayStorageError.translated))
            }
        }
    }

    /// Runs a transaction that takes the write lock immediately, so that it does not fail because of a concurrent write.
    static func transaction<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        do {
            var value: Value?
            try db.inTransaction(.immediate) {
                value = try body()
                return .commit
            }
            guard let value else { throw RelayStorageError.unavailable("the transaction did not run") }
            return value
        } catch {
            throw RelayStorageError.translated(error)
        }
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
        default: Self.unavailable(reason)
        }
    }
}
