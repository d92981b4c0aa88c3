import Foundation
import GRDB

/// The row of numbers that every write goes by; read and saved within the write's transaction, also by a second relay.
struct RelayState: Sendable {
    /// Random; names the database in cursors, so that one of another database is told apart.
    let store: String
    /// The number of the next event, at least 1.
    var nextEvent: Int64
    var events: Int64
    var eventBytes: Int64
    /// Rows of `event_deleted`.
    var remembered: Int64
    /// Changes whenever a stream or a client was deleted: what a relay knows of their numbers holds no longer.
    var streamGeneration: Int64
    /// The arrival clock when something was stored last.
    var arrival: TimeInterval
    /// The number of the next change of a record, at least 1.
    var nextChange: Int64
    /// How often a token was made or revoked.
    var tokenChanges: Int64

    static func fetch(_ db: Database) throws -> RelayState {
        let statement = try db.cachedStatement(
            sql: """
                SELECT store, next_event, events, event_bytes, remembered, stream_generation, arrival, next_change, token_changes
                FROM relay_state WHERE id = 1
                """)
        guard let row = try Row.fetchOne(statement) else { throw RelayStorageError.corrupt("relay_state is empty") }
        func number(_ index: Int) throws -> Int64 { try row.decode(Int64.self, atIndex: index) }
        return RelayState(
            store: try row.decode(String.self, atIndex: 0), nextEvent: try number(1), events: try number(2),
            eventBytes: try number(3), remembered: try number(4), streamGeneration: try number(5),
            arrival: try row.decode(Double.self, atIndex: 6), nextChange: try number(7), tokenChanges: try number(8))
    }

    /// What telemetry uses of the file, in bytes, about; 0 where the file has none.
    static func bytes(_ db: Database) throws -> Int64 {
        guard try db.tableExists("relay_state") else { return 0 }
        let rememberedSize = 120
        return try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT event_bytes + \(rememberedSize) * remembered FROM relay_state")) ?? 0
    }

    /// Saves what concerns events, and where the two clocks stand.
    func saveEvents(_ db: Database, wall: TimeInterval) throws {
        try db.cachedStatement(
            sql: """
                UPDATE relay_state SET next_event = ?, events = ?, event_bytes = ?, remembered = ?, stream_generation = ?,
                arrival = ?, wall = ? WHERE id = 1
                """
        ).execute(arguments: [nextEvent, events, eventBytes, remembered, streamGeneration, arrival, wall])
    }

    /// Where the two clocks stood when something was stored last; nil where nothing ever was.
    static func savedClock(_ db: Database) throws -> ArrivalClock.Saved? {
        guard let row = try Row.fetchOne(db, sql: "SELECT arrival, wall FROM relay_state WHERE id = 1") else { return nil }
        return ArrivalClock.Saved(arrival: try row.decode(Double.self, atIndex: 0), wall: try row.decode(Double.self, atIndex: 1))
    }

    /// Makes the row; where another relay was faster, its row stays.
    static func create(_ db: Database, store: String, wall: TimeInterval) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO relay_state VALUES (1, ?, 1, 0, 0, 0, 0, ?, ?, 1, 0)", arguments: [store, wall, wall])
    }

    /// The text of a place among events or changes.
    func place(_ number: Int64) -> String { "\(store)-\(number)" }

    /// The number of a place, nil where it is not one of this database or not yet reached.
    func number(ofPlace text: String, before next: Int64) -> Int64? {
        guard text.hasPrefix(store + "-"), let number = Int64(text.dropFirst(store.count + 1)), number >= 0, number < next,
            text == place(number)
        else { return nil }
        return number
    }
}
