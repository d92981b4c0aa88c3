#if DEBUG
public import Foundation
import TelemetryModels

/// One entry of a debug log: what happened, where, when, and as part of which operation.
public struct DebugLogEntry: Sendable, Hashable, Identifiable {
    /// The entry's unique identifier; a server stores an identifier once, so that a batch can be sent again.
    public let id: UUID
    /// The operation that the entry belongs to, across all processes involved.
    public let correlationId: UUID
    /// When the entry was logged.
    public let timestamp: Date
    /// The kind of program that logged the entry.
    public let source: Source
    /// The entry's severity.
    public let level: Level
    /// The event's name, such as `cart.opened`.
    public let event: String
    /// Structured details, by key.
    public let payload: [String: Value]
    /// The device that logged the entry; nil if the device has no identifier yet.
    public let deviceId: UUID?
    /// The run of the program that logged the entry.
    public let sessionId: UUID

    /// Creates an entry; the parameters are the properties of the same names.
    public init(
        id: UUID = UUID(),
        correlationId: UUID = UUID(),
        timestamp: Date = .now,
        source: Source = .current,
        level: Level = .info,
        event: String,
        payload: [String: Value] = [:],
        deviceId: UUID? = nil,
        sessionId: UUID
    ) {
        self.id = id
        self.correlationId = correlationId
        self.timestamp = timestamp
        self.source = source
        self.level = level
        self.event = event
        self.payload = payload
        self.deviceId = deviceId
        self.sessionId = sessionId
    }

    /// Returns a date in the entries' format. A date outside its range becomes the nearest one in it, so that a wrong clock does
    /// not keep a batch from being sent.
    static func text(of date: Date) -> String {
        TimestampFormat.string(from: date)
            ?? (date.timeIntervalSinceReferenceDate > 0 ? "9999-12-31T23:59:59.999Z" : "0001-01-01T00:00:00.000Z")
    }
}
#endif
