public import Foundation
public import Logging

/// The limits, durability and clocks of a storage.
public struct RelayStorageConfiguration: Sendable {
    /// The retention of events.
    public var events = RelayEventRetention()
    /// The retention of debug logs.
    public var debugLogs = DebugLogRetention()
    /// How long entries of the audit are kept, in seconds.
    public var auditAge: TimeInterval = 400 * 86_400
    /// The number of recorded runs of deletions that are not combined.
    var expiredRuns = 10_000
    /// The maximum number of record changes that are kept, so that notification streams can resume.
    public var recordChanges = 100_000
    /// The maximum size of the kept record changes, in bytes.
    public var recordChangeBytes = 16 << 20
    /// The maximum duration of a query for events or records. A longer one is cancelled and throws ``RelayStorageError/timedOut``.
    public var queryTime: Duration = .seconds(20)
    /// Whether a write waits for the disk (`synchronous = FULL`), so that acknowledged data survives a power failure. Otherwise
    /// (`NORMAL`) a power failure may lose the most recent writes; a killed process loses nothing in either mode. Requests share
    /// transactions, so the cost of waiting is low. In SQLite, entries of the audit that are written alone never wait.
    public var survivesPowerCuts = true
    /// The interval at which the database is checked for changes by other relays; less than a second.
    public var pollInterval: Duration = .milliseconds(400)
    /// Receives failures of background work.
    public var logger = Logger(label: "telemetry-relay.storage")
    /// The wall clock, which measures the time between two runs.
    public var now: @Sendable () -> Date = { .now }
    /// A monotonic clock, which measures the age of events; nil uses one that advances while the machine sleeps.
    public var uptime: (@Sendable () -> Duration)?
    /// The clock for the intervals of background work and the time limits of queries.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Generates the identifier of a new database; letters and digits.
    public var makeIdentifier: @Sendable () -> String = { String(UInt64.random(in: 0..<(1 << 40)), radix: 36) }

    public init() {}
}
