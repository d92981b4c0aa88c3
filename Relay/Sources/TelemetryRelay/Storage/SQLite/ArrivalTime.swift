import Foundation

/// The retention clock shared by several relays on one database: never before the saved time.
struct ArrivalTime: Sendable {
    let clock: ArrivalClock
    let date: @Sendable () -> Date

    func now(after state: RelayState) -> TimeInterval { max(state.arrival, clock.now) }

    /// The wall clock, in seconds since the reference date.
    var wall: TimeInterval { date().timeIntervalSinceReferenceDate }

    /// An arrival time as stored, in milliseconds. Rounded up, so that no event expires too early.
    static func milliseconds(_ time: TimeInterval) -> Int64 { Int64(exactly: (time * 1000).rounded(.up)) ?? .max }
}
