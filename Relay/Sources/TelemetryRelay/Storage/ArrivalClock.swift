import Foundation

/// The time that retention counts by, in seconds since the reference date. It never goes back.
///
/// While the relay runs it advances with a monotonic clock. The wall clock counts only for the time between two runs, and only
/// up to half of what an entry is kept: one jump of the wall clock expires no entry that is younger than that.
struct ArrivalClock: Sendable {
    /// What a storage keeps between two runs.
    struct Saved: Sendable, Equatable {
        let arrival: TimeInterval
        /// The wall clock at that time.
        let wall: TimeInterval
    }

    private let start: TimeInterval
    private let uptimeAtStart: Duration
    private let uptime: @Sendable () -> Duration

    /// - Parameters:
    ///   - saved: what the last run saved.
    ///   - wall: the wall clock now.
    ///   - age: for how many seconds entries are kept.
    ///   - uptime: a monotonic clock.
    init(after saved: Saved, wall: TimeInterval, age: TimeInterval, uptime: @escaping @Sendable () -> Duration) {
        start = saved.arrival + min(max(0, wall - saved.wall), age / 2)
        uptimeAtStart = uptime()
        self.uptime = uptime
    }

    var now: TimeInterval { start + max(0, (uptime() - uptimeAtStart) / .seconds(1)) }

    /// A monotonic clock that starts at zero and goes on while the machine sleeps.
    static func continuous() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }
}
