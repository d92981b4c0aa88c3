import GRDB

/// A database, and the only ways into it: errors leave as ``RelayStorageError``, and a write that has begun is finished.
struct RelayDatabase: Sendable {
    let writer: any DatabaseWriter

    /// Reads from one snapshot.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await writer.read(body)
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    /// Writes in one transaction. Cancelling the task changes nothing.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            writer.asyncWriteWithoutTransaction { db in
                continuation.resume(with: Result { try Self.transaction(db) { try body(db) } })
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
