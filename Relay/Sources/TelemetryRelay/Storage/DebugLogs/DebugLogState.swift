/// The row of counters for debug log entries. Every write of any relay reads and saves it within its transaction.
struct DebugLogState: Sendable {
    /// The number of the next entry, at least 1.
    var next: Int64
    var entries: Int64
    var bytes: Int64
    /// Both clocks at the last write.
    var clocks: ArrivalClock.Saved

    static func fetch(_ db: any StorageConnection) throws -> DebugLogState {
        guard let row = try db.rows("SELECT next, entries, bytes, arrival, wall FROM debug_log_state WHERE id = 1").first else {
            throw RelayStorageError.corrupt("debug_log_state is empty")
        }
        return DebugLogState(
            next: try row.int(0), entries: try row.int(1), bytes: try row.int(2),
            clocks: try ArrivalClock.Saved(row, 3))
    }

    func save(_ db: any StorageConnection) throws {
        try db.enqueue(
            "UPDATE debug_log_state SET next = $1, entries = $2, bytes = $3, arrival = $4, wall = $5 WHERE id = 1",
            [.int(next), .int(entries), .int(bytes), .double(clocks.arrival), .double(clocks.wall)])
    }
}
