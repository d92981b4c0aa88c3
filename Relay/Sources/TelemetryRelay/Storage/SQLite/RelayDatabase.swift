import GRDB
import Synchronization

/// A database, and the only ways into it: errors leave as ``RelayStorageError``, and a write that has begun is finished.
struct RelayDatabase: Sendable {
    /// Set on the queue of writes. What comes there later must not touch the connection, which GRDB does not check.
    private final class Closing: Sendable {
        let isClosed = Mutex(false)
    }

    let writer: any DatabaseWriter
    private let closing = Closing()

    init(writer: any DatabaseWriter) { self.writer = writer }

    /// Puts work into the queue of writes, where one runs after the other. The database is nil once it is closed.
    func enqueue(_ work: @escaping @Sendable (Database?) -> Void) {
        writer.asyncWriteWithoutTransaction { [closing] db in work(closing.isClosed.withLock(\.self) ? nil : db) }
    }

    /// Reads from one snapshot.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        // A database in memory has one connection.
        guard writer is DatabasePool else { return try await perform(body) }
        do {
            return try await writer.read(body)
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    /// Writes in one transaction. Cancelling the task changes nothing.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await perform { db in try Self.transaction(db) { try body(db) } }
    }

    /// Closes the database when the writes under way have ended.
    func close() async throws {
        try await perform { [closing] db in
            // So that the file has everything, for whoever copies it; on a full disk the log of changes keeps it.
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

    /// A transaction that takes the database's lock at once, so that it never fails for what another one wrote meanwhile.
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
    /// The error of a database as one that callers can act on; any other error as it is.
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
