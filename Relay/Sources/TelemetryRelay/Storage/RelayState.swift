/// The row of counters for changes of records and tokens.
struct RelayState: Sendable {
    let store: StoreIdentity
    /// The number of the next record change, at least 1.
    let nextChange: Int64
    /// The number of token creations and revocations.
    let tokenChanges: Int64

    /// - Returns: nil for a new database.
    static func fetch(_ db: any StorageConnection) throws -> RelayState? {
        try db.rows("SELECT store, next_change, token_changes FROM relay_state WHERE id = 1").first.map { row in
            RelayState(
                store: StoreIdentity(rawValue: try row.text(0)), nextChange: try row.int(1), tokenChanges: try row.int(2))
        }
    }
}
