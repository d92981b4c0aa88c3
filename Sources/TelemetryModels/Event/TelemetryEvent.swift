#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Something that happened in a client at a given time, logged under a scenario.
public struct TelemetryEvent: Hashable, Identifiable, Sendable {
    /// The error that reading a record throws.
    public typealias Error = TelemetryRecordError
    public static let recordType = TelemetrySchema.recordType

    /// The event's unique identifier. Two events with the same identifier are the same event.
    public let eventId: String
    /// The client that sent the event; nil if the client had no identifier yet.
    public let clientId: String?
    /// The session of the client in which the event was logged.
    public let sessionId: String
    /// The event's number within the session; at most `Int64.max`. A missing number is a gap.
    public let sequence: UInt64
    /// The event's name, the same for every occurrence.
    public let name: String
    /// When the event happened, by the client's clock.
    public let timestamp: Date
    /// The device on which the event happened.
    public let device: TelemetryDeviceInfo
    /// The thread that logged the event.
    public let threadId: String
    /// Free text.
    public let property1: String?
    /// Structured details, by name.
    public let attributes: [String: TelemetryValue]
    /// The scenario that the event was logged under; nil for an event without a scenario.
    public let scenario: String?
    /// The event's level of detail.
    public let level: TelemetryLogLevel

    public var id: String { eventId }

    /// Creates an event. A sequence above `Int64.max` becomes `Int64.max`, the largest that every store can hold.
    public init(
        eventId: String = EventIdentifier.unique(),
        clientId: String? = nil,
        sessionId: String,
        sequence: UInt64 = 0,
        name: String,
        timestamp: Date = .now,
        device: TelemetryDeviceInfo = .current,
        threadId: String = CurrentThread.identifier,
        property1: String? = nil,
        attributes: [String: TelemetryValue] = [:],
        scenario: String? = nil,
        level: TelemetryLogLevel = .info
    ) {
        self.eventId = eventId
        self.clientId = clientId
        self.sessionId = sessionId
        self.sequence = min(sequence, UInt64(Int64.max))
        self.name = name
        self.timestamp = timestamp
        self.device = device
        self.threadId = threadId
        self.property1 = property1
        self.attributes = attributes
        self.scenario = scenario
        self.level = level
    }
}
