public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The number of stored events of one client, session, scenario, level and hour.
public struct TelemetryEventCount: Sendable, Hashable {
    /// The client's identifier; nil for events without a client.
    public var clientId: String?
    /// The session's identifier.
    public var sessionId: String
    /// The scenario's name; nil for events without a scenario.
    public var scenario: String?
    /// The level of the events.
    public var level: TelemetryLogLevel
    /// The start of the hour, in UTC.
    public var hour: Date
    /// The number of events.
    public var count: Int
    /// The time of the earliest event.
    public var first: Date
    /// The time of the latest event.
    public var last: Date
    /// The lowest number of an event within its session.
    public var lowestSequence: UInt64
    /// The highest number of an event within its session.
    public var highestSequence: UInt64
    /// How many events the client dropped, according to these events.
    public var reportedDrops: Int64
    /// The session's device.
    public var device: TelemetryDeviceInfo

    /// Creates a count; the parameters are the properties of the same names.
    public init(
        clientId: String?, sessionId: String, scenario: String?, level: TelemetryLogLevel, hour: Date, count: Int, first: Date,
        last: Date, lowestSequence: UInt64, highestSequence: UInt64, reportedDrops: Int64 = 0, device: TelemetryDeviceInfo
    ) {
        self.clientId = clientId
        self.sessionId = sessionId
        self.scenario = scenario
        self.level = level
        self.hour = hour
        self.count = count
        self.first = first
        self.last = last
        self.lowestSequence = lowestSequence
        self.highestSequence = highestSequence
        self.reportedDrops = reportedDrops
        self.device = device
    }
}
