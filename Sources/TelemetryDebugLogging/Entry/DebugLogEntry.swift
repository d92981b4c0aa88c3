#if DEBUG
public import Foundation
@_spi(Tooling) public import TelemetryModels

/// One entry of a debug log: what happened, where, when, and as part of which operation.
public struct DebugLogEntry: Sendable, Hashable, Identifiable {
    /// The part of a system that an entry comes from.
    public enum Source: String, Sendable, CaseIterable, Codable {
        /// An app on iOS, iPadOS, tvOS, watchOS or visionOS.
        case ios
        /// A server.
        case backend
        /// A page in a browser.
        case web
        /// An app on macOS.
        case macos
        /// A program on Linux.
        case linux
        /// A command-line tool.
        case cli

        /// The system that this program runs on. A command-line tool or a server sets its source itself.
        public static var current: Source {
            #if os(macOS)
            .macos
            #elseif canImport(Darwin)
            .ios
            #else
            .linux
            #endif
        }
    }

    /// An entry's severity. Levels are ordered from ``debug`` to ``error``.
    public enum Level: String, Sendable, CaseIterable, Codable, Comparable {
        /// Details for debugging.
        case debug
        /// Normal operation.
        case info
        /// Unexpected, but handled.
        case warn
        /// An operation failed.
        case error

        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.weight < rhs.weight }

        private var weight: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warn: 2
            case .error: 3
            }
        }
    }

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

extension DebugLogEntry {
    /// Returns the entry as a telemetry event, so that one viewer shows both.
    ///
    /// The event's identifier is the entry's: sent twice, it is stored once. The payload's strings, numbers and booleans become
    /// attributes under their names; lists and objects become JSON text. Properties without a field in the event become the
    /// attributes `debug.correlation_id`, `debug.level`, `debug.source` and `debug.device_id`, and `property1` holds the
    /// correlation identifier. `debug` becomes ``/TelemetryModels/TelemetryLogLevel/diagnostic``, every other level
    /// ``/TelemetryModels/TelemetryLogLevel/info``.
    /// - Parameters:
    ///   - sessionId: the telemetry's session; nil for the entry's own.
    ///   - clientId: the client of the event.
    ///   - scenario: the scenario of the event.
    public func telemetryEvent(
        sessionId: String? = nil, clientId: String? = nil, scenario: String? = nil
    ) -> TelemetryEvent {
        var attributes = payload.compactMapValues(\.json.attribute)
        attributes["debug.correlation_id"] = .string(correlationId.uuidString)
        attributes["debug.level"] = .string(level.rawValue)
        attributes["debug.source"] = .string(source.rawValue)
        attributes["debug.device_id"] = deviceId.map { .string($0.uuidString) }
        return TelemetryEvent(
            eventId: id.uuidString, clientId: clientId, sessionId: sessionId ?? self.sessionId.uuidString, name: event,
            timestamp: timestamp, property1: correlationId.uuidString, attributes: attributes, scenario: scenario,
            level: level == .debug ? .diagnostic : .info)
    }
}

extension DebugLogEntry {
    /// The approximate size of the entry in memory and as JSON, computed without encoding it.
    var approximateSize: Int {
        // The identifiers, the date, the keys.
        event.utf8.count + Value.object(payload).approximateSize + 400
    }
}
#endif
