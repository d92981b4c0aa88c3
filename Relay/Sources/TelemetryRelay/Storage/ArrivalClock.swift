import Foundation

/// The clock used for retention, in seconds since the reference date. It never goes back.
///
/// While the relay runs, a monotonic clock advances it. Between two runs, the wall clock advances it, by at most half of the
/// retention age: one jump of the wall clock expires no entry younger than that.
struct ArrivalClock: Sendable {
    /// The values that a storage saves between two runs.
    struct Saved: Sendable, Equatable {
        let arrival: TimeInterval
        /// The wall clock at that time.
        let wall: TimeInterval

        init(arrival: TimeInterval, wall: TimeInterval) { (self.arrival, self.wall) = (arrival, wall) }

        /// Reads two columns.
        /// - Throws: if they are not plausible times.
        init(_ row: StorageRow, _ column: Int) throws {
            self.init(arrival: try row.double(column), wall: try row.double(column + 1))
            guard [arrival, wall].allSatisfy((-1e11...1e11).contains) else {
                throw RelayStorageError.corrupt("a saved time cannot be read")
            }
        }
    }

    private let start: TimeInterval
    private let uptimeAtStart: Duration
    private let uptime: @Sendable () -> Duration

    /// - Parameters:
    ///   - saved: the values that the last run saved.
    ///   - wall: the wall clock now.
    ///   - age: the retention age, in seconds.
    ///   - uptime: a monotonic clock.
    init(after saved: Saved, wall: TimeInterval, age: TimeInterval, uptime: @escaping @Sendable () -> Duration) {
        start = saved.arrival + min(max(0, wall - saved.wall), age / 2)
        uptimeAtStart = uptime()
        self.uptime = uptime
    }

    var now: TimeInterval { start + max(0, (uptime() - uptimeAtStart) / .seconds(1)) }

    /// A monotonic clock that starts at zero and advances while the machine sleeps.
    static func continuous() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }
}
