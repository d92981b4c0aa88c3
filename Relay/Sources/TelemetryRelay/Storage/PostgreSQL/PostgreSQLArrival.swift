#if PostgreSQL
import Foundation
import PostgreSQLClient
import Synchronization

/// The retention clock shared by the relays of a store: never before the time that another relay has saved.
final class PostgreSQLArrival: Sendable {
    private let clock: ArrivalClock
    private let date: @Sendable () -> Date
    private let saved: Mutex<TimeInterval>

    init(_ store: PostgreSQLStore, _ configuration: RelayStorageConfiguration) {
        let wall = configuration.now().timeIntervalSinceReferenceDate
        let last = store.savedClock ?? .init(arrival: wall, wall: wall)
        clock = ArrivalClock(
            after: last, wall: wall, age: configuration.events.age, uptime: configuration.uptime ?? ArrivalClock.continuous())
        date = configuration.now
        saved = Mutex(last.arrival)
    }

    /// Seconds since the reference date.
    var now: TimeInterval { max(saved.withLock(\.self), clock.now) }

    /// Saves both clocks for the next run, and adopts a later arrival that another relay has saved.
    func save(_ connection: PostgreSQLConnection) async throws {
        let stored = try await connection.execute(
            """
            UPDATE relay_state SET arrival = GREATEST(arrival, $1::float8), wall = GREATEST(wall, $2::float8)
            WHERE id = 1 RETURNING arrival
            """, [.double(now), .double(date().timeIntervalSinceReferenceDate)]
        ).row.double(0)
        saved.withLock { $0 = max($0, stored) }
    }
}
#endif
