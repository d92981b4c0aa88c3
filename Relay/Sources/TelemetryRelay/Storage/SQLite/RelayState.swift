import Foundation
import GRDB

/// The row of counters for all writes. Read and saved within the write's transaction, also by other relays.
struct RelayState: Sendable {
    /// A random identifier of the database, by which cursors from other databases are detected.
    let store: String
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
    /// The arrival clock at the last write.
    var arrival: TimeInterval
    /// The number of the next record change, at least 1.
    var nextChange: Int64
    /// The number of token creations and revocations.
    var tokenChanges: Int64

    /// - Returns: the identifier of a new block.
    mutating func takeBlock() -> Int64 {
        defer { nextBlock += 1 }
        return nextBlock
    }

    static func fetch(_ db: Database) throws -> RelayState {
        let statement = try db.cachedStatement(
            sql: """
                SELECT store, next_event, events, event_bytes, remembered, stream_generation, arrival, next_change, token_changes,
                    first_event, next_block
                FROM relay_state WHERE id = 1
                """)
        guard let row = try Row.fetchOne(statement) else { throw RelayStorageError.corrupt("relay_state is empty") }
        func number(_ index: Int) throws -> Int64 { try row.decode(Int64.self, atIndex: index) }
        return RelayState(
            store: try row.decode(String.self, atIndex: 0), nextEvent: try number(1), events: try number(2),
            eventBytes: try number(3), firstEvent: try number(9), nextBlock: try number(10), remembered: try number(4),
            streamGeneration: try number(5),
            arrival: try row.decode(Double.self, atIndex: 6), nextChange: try number(7), tokenChanges: try number(8))
    }

    /// Saves the counters of events, and both clocks.
    func saveEvents(_ db: Database, wall: TimeInterval) throws {
        try db.cachedStatement(
            sql: """
                UPDATE relay_state SET next_event = ?, first_event = ?, next_block = ?, events = ?, event_bytes = ?, remembered = ?,
                arrival = ?, wall = ? WHERE id = 1
                """
        ).execute(arguments: [nextEvent, firstEvent, nextBlock, events, eventBytes, remembered, arrival, wall])
    }

    /// Both clocks at the last write; nil if nothing was ever written.
    static func savedClock(_ db: Database) throws -> ArrivalClock.Saved? {
        guard let row = try Row.fetchOne(db, sql: "SELECT arrival, wall FROM relay_state WHERE id = 1") else { return nil }
        return ArrivalClock.Saved(arrival: try row.decode(Double.self, atIndex: 0), wall: try row.decode(Double.self, atIndex: 1))
    }

    /// Creates the row, unless another relay has created it.
    static func create(_ db: Database, store: String, wall: TimeInterval) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO relay_state VALUES (1, ?, 1, 1, 1, 0, 0, 0, 0, ?, ?, 1, 0)",
            arguments: [store, wall, wall])
    }

    /// The text of a position among events or changes.
    func place(_ number: Int64) -> String { "\(store)-\(number)" }

    /// The number of a position; nil if it belongs to another database or is not yet reached.
    func number(ofPlace text: String, before next: Int64) -> Int64? {
        guard text.hasPrefix(store + "-"), let number = Int64(text.dropFirst(store.count + 1)), number >= 0, number < next,
            text == place(number)
        else { return nil }
        return number
    }
}
