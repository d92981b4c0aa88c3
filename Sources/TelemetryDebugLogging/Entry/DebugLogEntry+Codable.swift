#if DEBUG
import Foundation
import TelemetryModels

extension DebugLogEntry: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case correlationId = "correlation_id"
        case timestamp, source, level, event, payload
        case deviceId = "device_id"
        case sessionId = "session_id"
    }

    /// Decodes an entry. A missing payload is empty, a missing device nil; the other members are required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .timestamp)
        guard let timestamp = TimestampFormat.date(from: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .timestamp, in: container, debugDescription: "\"\(text)\" is not an ISO 8601 date in UTC")
        }
        self.init(
            id: try container.decode(UUID.self, forKey: .id),
            correlationId: try container.decode(UUID.self, forKey: .correlationId),
            timestamp: timestamp,
            source: try container.decode(Source.self, forKey: .source),
            level: try container.decode(Level.self, forKey: .level),
            event: try container.decode(String.self, forKey: .event),
            payload: try container.decodeIfPresent([String: Value].self, forKey: .payload) ?? [:],
            deviceId: try container.decodeIfPresent(UUID.self, forKey: .deviceId),
            sessionId: try container.decode(UUID.self, forKey: .sessionId))
    }

    /// Dates are encoded as text, independent of the encoder's settings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(correlationId, forKey: .correlationId)
        try container.encode(Self.text(of: timestamp), forKey: .timestamp)
        try container.encode(source, forKey: .source)
        try container.encode(level, forKey: .level)
        try container.encode(event, forKey: .event)
        try container.encode(payload, forKey: .payload)
        try container.encodeIfPresent(deviceId, forKey: .deviceId)
        try container.encode(sessionId, forKey: .sessionId)
    }
}
#endif
