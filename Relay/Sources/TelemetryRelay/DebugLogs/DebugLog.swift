public import Foundation
@_spi(Tooling) package import TelemetryModels

/// An entry of a debug log, as it travels and as it is stored.
public struct DebugLog: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable, Codable { case debug, info, warn, error }
    public enum Source: String, Sendable, CaseIterable, Codable { case ios, backend, web, macos, linux, cli }

    public let id: UUID
    public let correlationId: UUID
    public let timestamp: Date
    public let source: Source
    public let level: Level
    public let event: String
    package let payload: [String: JSONValue]
    public let deviceId: UUID?
    public let sessionId: UUID

    package init(
        id: UUID = UUID(), correlationId: UUID = UUID(), timestamp: Date, source: Source = .cli, level: Level = .info,
        event: String, payload: [String: JSONValue] = [:], deviceId: UUID? = nil, sessionId: UUID = UUID()
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
}

extension DebugLog: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case correlationId = "correlation_id"
        case timestamp, source, level, event, payload
        case deviceId = "device_id"
        case sessionId = "session_id"
    }

    /// The longest name of an event, in bytes of UTF-8.
    static let eventLimit = 1024

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .timestamp)
        guard let timestamp = TimestampText.date(from: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .timestamp, in: container, debugDescription: "is not a date in ISO 8601, in UTC")
        }
        let event = try container.decode(String.self, forKey: .event)
        guard (1...Self.eventLimit).contains(event.utf8.count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .event, in: container, debugDescription: "has to have 1 to \(Self.eventLimit) bytes")
        }
        // For databases, a string ends at its first NUL.
        guard !event.utf8.contains(0) else {
            throw DecodingError.dataCorruptedError(forKey: .event, in: container, debugDescription: "may not contain NUL")
        }
        self.init(
            id: try container.decode(UUID.self, forKey: .id),
            correlationId: try container.decode(UUID.self, forKey: .correlationId),
            timestamp: timestamp,
            source: try container.decode(Source.self, forKey: .source),
            level: try container.decode(Level.self, forKey: .level),
            event: event,
            payload: try container.decodeIfPresent([String: JSONValue].self, forKey: .payload) ?? [:],
            deviceId: try container.decodeIfPresent(UUID.self, forKey: .deviceId),
            sessionId: try container.decode(UUID.self, forKey: .sessionId))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(correlationId, forKey: .correlationId)
        try container.encode(TimestampText.string(from: timestamp), forKey: .timestamp)
        try container.encode(source, forKey: .source)
        try container.encode(level, forKey: .level)
        try container.encode(event, forKey: .event)
        try container.encode(payload, forKey: .payload)
        try container.encodeIfPresent(deviceId, forKey: .deviceId)
        try container.encode(sessionId, forKey: .sessionId)
    }
}
