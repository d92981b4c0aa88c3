/// Runs statements within a transaction or a snapshot, on the calling thread.
///
/// A statement's parameters are written `$1`, `$2` …, in the order of their first use.
protocol StorageConnection {
    /// Calls `body` with each row of the result, which must not run other statements.
    func forEachRow(_ sql: String, _ values: [StorageValue], _ body: (StorageRow) throws -> Void) throws

    /// - Returns: the number of changed rows.
    @discardableResult
    func execute(_ sql: String, _ values: [StorageValue]) throws -> Int

    /// Runs statements one after the other, in one round trip to a server.
    /// - Returns: the rows of each one's result.
    func rows(_ statements: [Statement]) throws -> [[StorageRow]]

    /// Runs a statement whose result is not needed, in a transaction that writes: now, or with the next statement. That then throws if
    /// this one fails.
    func enqueue(_ sql: String, _ values: [StorageValue]) throws
}

extension StorageConnection {
    /// - Returns: the rows of the result.
    func rows(_ sql: String, _ values: [StorageValue] = []) throws -> [StorageRow] {
        try rows(Statement(sql, values))
    }

    /// The first column of the only row.
    func int(_ sql: String, _ values: [StorageValue] = []) throws -> Int64? {
        try rows(sql, values).first?.optionalInt(0)
    }

    func rows(_ statement: Statement) throws -> [StorageRow] { try rows([statement])[0] }
}
