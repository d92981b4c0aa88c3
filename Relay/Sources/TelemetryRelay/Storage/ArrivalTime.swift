import Foundation

/// The retention clock shared by several relays on one database: never before the saved time.
struct ArrivalTime: Sendable {
    let clock: ArrivalClock
    let date: @Sendable () -> Date
    /// The retention age, in seconds.
    let age: TimeInterval

    func now(after state: EventState) -> TimeInterval { max(state.arrival, clock.now) }

    /// The wall clock to save, in seconds since the reference date. It does not go back by less than half of the age: otherwise each
    /// start of a relay whose clock is ahead of the others' would count the difference as time that has passed.
    func wall(after state: EventState) -> TimeInterval {
        let wall = date().timeIntervalSinceReferenceDate
        return state.wall - wall > age / 2 ? wall : max(wall, state.wall)
    }

    /// An arrival time as stored, in milliseconds. Rounded up, so that no event expires too early.
    static func milliseconds(_ time: TimeInterval) -> Int64 { Int64(exactly: (time * 1000).rounded(.up)) ?? .max }
}
