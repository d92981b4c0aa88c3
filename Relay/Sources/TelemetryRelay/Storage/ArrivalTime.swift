import Foundation

/// The retention clock shared by several relays on one database: never before the saved time.
struct ArrivalTime: Sendable {
    private let clock: ArrivalClock
    private let date: @Sendable () -> Date
    /// The retention age, in seconds.
    private let age: TimeInterval

    init(after saved: ArrivalClock.Saved, age: TimeInterval, _ configuration: RelayStorageConfiguration) {
        clock = ArrivalClock(
            after: saved, wall: configuration.now().timeIntervalSinceReferenceDate, age: age,
            uptime: configuration.uptime ?? ArrivalClock.continuous())
        (date, self.age) = (configuration.now, age)
    }

    /// The clocks to save with the next change. The wall clock does not go back by less than half of the age: otherwise each start of a
    /// relay whose clock is ahead of the others' would count the difference as time that has passed.
    func next(after saved: ArrivalClock.Saved) -> ArrivalClock.Saved {
        let wall = date().timeIntervalSinceReferenceDate
        return ArrivalClock.Saved(
            arrival: max(saved.arrival, clock.now), wall: saved.wall - wall > age / 2 ? wall : max(wall, saved.wall))
    }

    /// An arrival time as stored, in milliseconds. Rounded up, so that no event expires too early.
    static func milliseconds(_ time: TimeInterval) -> Int64 { Int64(exactly: (time * 1000).rounded(.up)) ?? .max }
}
