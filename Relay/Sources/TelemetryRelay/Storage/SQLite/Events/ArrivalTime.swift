import Foundation

/// The time that retention counts by, as several relays on one database agree on it: never before what is saved already.
struct ArrivalTime: Sendable {
    let clock: ArrivalClock
    let date: @Sendable () -> Date

    func now(after state: RelayState) -> TimeInterval { max(state.arrival, clock.now) }

    /// The wall clock, in seconds since the reference date.
    var wall: TimeInterval { date().timeIntervalSinceReferenceDate }

    /// A time as an event's arrival is stored. Rounded up, so that no event goes too early.
    static func milliseconds(_ time: TimeInterval) -> Int64 { Int64(exactly: (time * 1000).rounded(.up)) ?? .max }
}
