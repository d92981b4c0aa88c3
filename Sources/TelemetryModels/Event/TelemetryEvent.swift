#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Something that happened in a client, at a moment, under a scenario.
public struct TelemetryEvent: Hashable, Identifiable, Sendable {
    /// What reading a record throws.
    public typealias Error = TelemetryRecordError
    public static let recordType = TelemetrySchema.recordType

    /// Who the event is: the same identifier twice is the same event.
    public let eventId: String
    /// The client that sent it; nil before the client has an identity.
    public let clientId: String?
    /// The run of the client that yielded it.
    public let sessionId: String
    /// Its number within the session; at most `Int64.max`. A missing number is a gap.
    public let sequence: UInt64
    /// What happened, in a few words that stay the same from one occurrence to the next.
    public let name: String
    /// When it happened, by the client's clock.
    public let timestamp: Date
    /// The device on which it happened.
    public let device: TelemetryDeviceInfo
    /// The thread that logged it.
    public let threadId: String
    /// Free text.
    public let property1: String?
    /// Structured details, by name.
    public let attributes: [String: TelemetryValue]
    /// The scenario that it was logged under; nil for an event outside all scenarios.
    public let scenario: String?
    /// Who the event is for.
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
