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

    /// Why a value is no entry.
    struct Refusal: Error {
        let reason: String
    }

    /// - Throws: ``Refusal``.
    init(_ json: JSONValue) throws {
        guard case .object(let members) = json else { throw Refusal(reason: "the entry is not an object") }
        func refuse(_ key: CodingKeys, _ reason: String) -> Refusal { Refusal(reason: key.rawValue + reason) }
        func text(_ key: CodingKeys) throws -> String {
            switch members[key.rawValue] {
            case .string(let text): return text
            case nil, .null: throw refuse(key, " is missing")
            default: throw refuse(key, " is not a string")
            }
        }
        func value<Value>(_ key: CodingKeys, _ expected: String, _ make: (String) -> Value?) throws -> Value {
            guard let value = make(try text(key)) else { throw refuse(key, ": \(expected)") }
            return value
        }
        func identifier(_ key: CodingKeys) throws -> UUID { try value(key, "is not a UUID", UUID.init(uuidString:)) }

        timestamp = try value(.timestamp, "is not a date in ISO 8601, in UTC", TimestampText.date)
        event = try value(.event, "has to have 1 to \(Self.eventLimit) bytes") {
            (1...Self.eventLimit).contains($0.utf8.count) ? $0 : nil
        }
        // For databases, a string ends at its first NUL.
        guard !event.utf8.contains(0) else { throw refuse(.event, ": may not contain NUL") }
        id = try identifier(.id)
        correlationId = try identifier(.correlationId)
        source = try value(.source, Self.expected(Source.self), Source.init)
        level = try value(.level, Self.expected(Level.self), Level.init)
        payload =
            switch members[CodingKeys.payload.rawValue] {
            case nil, .null: [:]
            case .object(let payload): payload
            default: throw refuse(.payload, " is not an object")
            }
        deviceId =
            switch members[CodingKeys.deviceId.rawValue] {
            case nil, .null: nil
            default: try identifier(.deviceId)
            }
        sessionId = try identifier(.sessionId)
    }

    private static func expected<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type) -> String {
        "has to be one of \(type.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    public init(from decoder: any Decoder) throws { try self.init(JSONValue(from: decoder)) }

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
