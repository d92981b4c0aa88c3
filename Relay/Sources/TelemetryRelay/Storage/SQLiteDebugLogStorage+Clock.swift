import Foundation
import GRDB

extension SQLiteDebugLogStorage {
    /// The range of plausible times, in seconds since the reference date.
    private static let times = -1e11...1e11

    /// Creates the clock for a file without a readable saved clock.
    static func firstClock(
        _ db: Database, wall: TimeInterval, age: TimeInterval, uptime: @escaping @Sendable () -> Duration
    ) throws -> ArrivalClock {
        // Older files store arrivals by the wall clock, so the newest entry shows when the relay last ran. Arrivals in the future
        // are set to now.
        let newest = try Double.fetchOne(
            db, sql: "SELECT received FROM debug_log WHERE typeof(received) = 'real' ORDER BY number DESC LIMIT 1")
        let last = newest.flatMap { times.contains($0) ? min($0, wall) : nil } ?? wall
        let clock = ArrivalClock(after: .init(arrival: last, wall: last), wall: wall, age: age, uptime: uptime)
        try db.execute(sql: "UPDATE debug_log SET received = ?1 WHERE received > ?1", arguments: [clock.now])
        try saveClock(db, arrival: clock.now, wall: wall)
        return clock
    }

    /// The values that the last run saved; nil if there are none or they are damaged.
    static func savedClock(_ db: Database) throws -> ArrivalClock.Saved? {
        let row = try Row.fetchOne(db, sql: "SELECT arrival, wall FROM debug_log_clock WHERE id = 1")
        guard let row, let arrival = try? row.decode(Double.self, atIndex: 0),
            let wall = try? row.decode(Double.self, atIndex: 1),
            times.contains(arrival), times.contains(wall)
        else { return nil }
        return ArrivalClock.Saved(arrival: arrival, wall: wall)
    }

    /// Saves the clock as part of a write transaction.
    static func saveClock(_ db: Database, arrival: TimeInterval, wall: TimeInterval) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO debug_log_clock (id, arrival, wall) VALUES (1, ?, ?)", arguments: [arrival, wall])
    }
}
