import Foundation
import GRDB

extension SQLiteDebugLogStorage {
    /// Seconds beyond which a stored number is not a time.
    private static let times = -1e11...1e11

    /// The clock for a file that holds none that can be read.
    static func firstClock(
        _ db: Database, wall: TimeInterval, age: TimeInterval, uptime: @escaping @Sendable () -> Duration
    ) throws -> ArrivalClock {
        // Arrivals in an older file are times of the wall clock: the newest entry says when the relay last ran. One that is
        // later than now counts as arrived now.
        let newest = try Double.fetchOne(
            db, sql: "SELECT received FROM debug_log WHERE typeof(received) = 'real' ORDER BY number DESC LIMIT 1")
        let last = newest.flatMap { times.contains($0) ? min($0, wall) : nil } ?? wall
        let clock = ArrivalClock(after: .init(arrival: last, wall: last), wall: wall, age: age, uptime: uptime)
        try db.execute(sql: "UPDATE debug_log SET received = ?1 WHERE received > ?1", arguments: [clock.now])
        try saveClock(db, arrival: clock.now, wall: wall)
        return clock
    }

    /// What the last run saved; nil where there is nothing, or it is damaged.
    static func savedClock(_ db: Database) throws -> ArrivalClock.Saved? {
        let row = try Row.fetchOne(db, sql: "SELECT arrival, wall FROM debug_log_clock WHERE id = 1")
        guard let row, let arrival = try? row.decode(Double.self, atIndex: 0),
            let wall = try? row.decode(Double.self, atIndex: 1),
            times.contains(arrival), times.contains(wall)
        else { return nil }
        return ArrivalClock.Saved(arrival: arrival, wall: wall)
    }

    /// Saves where the clock stands; within a transaction that writes anyway.
    static func saveClock(_ db: Database, arrival: TimeInterval, wall: TimeInterval) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO debug_log_clock (id, arrival, wall) VALUES (1, ?, ?)", arguments: [arrival, wall])
    }
}
