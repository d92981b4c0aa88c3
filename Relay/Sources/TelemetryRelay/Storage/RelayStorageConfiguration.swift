public import Foundation
public import Logging

/// How a storage keeps what it is given, and the clocks that it goes by.
public struct RelayStorageConfiguration: Sendable {
    /// How many events are kept, and for how long.
    public var events = RelayEventRetention()
    /// So many changes of records are kept, for streams of notifications that go on from where they were.
    public var recordChanges = 100_000
    /// Whether an answer waits for the disk (`synchronous = FULL`), so that nothing answered is lost when the power fails. Without it
    /// (`NORMAL`) a killed process loses nothing either, but a power cut may take the last moments. Requests share transactions,
    /// so that waiting costs little.
    public var survivesPowerCuts = true
    /// How often the database is asked what other relays did; below a second.
    public var pollInterval: Duration = .milliseconds(400)
    /// Hears of work in the background that failed.
    public var logger = Logger(label: "telemetry-relay.storage")
    /// The wall clock, which says for how long no relay ran.
    public var now: @Sendable () -> Date = { .now }
    /// A monotonic clock, which measures how long events are kept; one that goes on while the machine sleeps where it is nil.
    public var uptime: (@Sendable () -> Duration)?
    /// Waits between two rounds of work in the background.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Names a new database; letters and digits.
    public var makeIdentifier: @Sendable () -> String = { String(UInt64.random(in: 0..<(1 << 40)), radix: 36) }

    public init() {}
}
