/// The row of counters for events. Every write of any relay reads and saves it within its transaction.
struct EventState: Sendable {
    /// The database's, which changes when a backup is restored.
    let store: StoreIdentity
    /// The number of the next event, at least 1.
    var nextEvent: Int64
    var events: Int64
    var eventBytes: Int64
    /// Earlier events are deleted, also those whose block remains.
    var firstEvent: Int64
    /// The identifier of the next block.
    private(set) var nextBlock: Int64
    /// The number of rows in `event_identity` without stored events.
    var remembered: Int64
    /// Changes when a stream or client is deleted, which invalidates cached numbers.
    let streamGeneration: Int64
    /// Both clocks at the last write.
    var clocks: ArrivalClock.Saved

    /// - Returns: the identifier of a new block.
    mutating func takeBlock() -> Int64 {
        defer { nextBlock += 1 }
        return nextBlock
    }

    static func fetch(_ db: any StorageConnection) throws -> EventState {
        let row = try db.rows(
            """
            SELECT next_event, events, event_bytes, first_event, next_block, remembered, stream_generation, arrival, wall,
            (SELECT store FROM relay_state WHERE id = 1) FROM event_state WHERE id = 1
            """
        ).first
        guard let row else { throw RelayStorageError.corrupt("event_state is empty") }
        return EventState(
            store: StoreIdentity(rawValue: try row.text(9)),
            nextEvent: try row.int(0), events: try row.int(1), eventBytes: try row.int(2), firstEvent: try row.int(3),
            nextBlock: try row.int(4), remembered: try row.int(5), streamGeneration: try row.int(6),
            clocks: try ArrivalClock.Saved(row, 7))
    }

    func save(_ db: any StorageConnection) throws {
        try db.enqueue(
            """
            UPDATE event_state SET next_event = $1, first_event = $2, next_block = $3, events = $4, event_bytes = $5,
            remembered = $6, arrival = $7, wall = $8 WHERE id = 1
            """,
            [
                .int(nextEvent), .int(firstEvent), .int(nextBlock), .int(events), .int(eventBytes), .int(remembered),
                .double(clocks.arrival), .double(clocks.wall),
            ])
    }
}
