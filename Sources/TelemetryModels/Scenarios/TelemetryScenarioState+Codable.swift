#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The stored form is an object with the members `isEnabled`, `level` and `source`, and with `expires` and `suspendedUntil`, as
/// ISO 8601 dates in UTC, if they are not nil, and `contextConditions` if there are any.
extension TelemetryScenarioState: Codable {
    private enum CodingKeys: String, CodingKey { case isEnabled, level, expires, source, suspendedUntil, contextConditions }

    /// Reads a state. Only `isEnabled` is required. An unknown level is read as `.info`, an unknown source as `.registration`;
    /// unreadable conditions hold for no context.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let level = try container.decodeIfPresent(String.self, forKey: .level)
        let source = try container.decodeIfPresent(String.self, forKey: .source)
        var conditions: [TelemetryRuleCondition] = []
        if container.contains(.contextConditions) {
            conditions = (try? container.decode([TelemetryRuleCondition].self, forKey: .contextConditions)) ?? .unreadable
        }
        self.init(
            isEnabled: try container.decode(Bool.self, forKey: .isEnabled),
            level: level.map { TelemetryLogLevel(rawValue: $0) ?? .info } ?? .diagnostic,
            expires: try container.decodeTimestampIfPresent(forKey: .expires),
            source: source.flatMap { Source($0) } ?? .registration,
            suspendedUntil: try container.decodeTimestampIfPresent(forKey: .suspendedUntil), contextConditions: conditions)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isEnabled, forKey: .isEnabled)
        try container.encode(level.rawValue, forKey: .level)
        try container.encodeTimestampIfPresent(expires.flatMap(Self.storable), forKey: .expires)
        try container.encode(source.description, forKey: .source)
        try container.encodeTimestampIfPresent(suspendedUntil.flatMap(Self.storable), forKey: .suspendedUntil)
        if !contextConditions.isEmpty { try container.encode(contextConditions, forKey: .contextConditions) }
    }

    /// The date if it has a stored form; nil, which means never, if it is after the year 9999; the earliest date with a stored
    /// form if it is before that or NaN.
    private static func storable(_ date: Date) -> Date? {
        if TimestampFormat.string(from: date) != nil { return date }
        return date > Date(timeIntervalSince1970: 0) ? nil : Date(timeIntervalSince1970: -62_135_596_800)
    }
}

/// The stored form: "registration", "host", "viewer", or "rule:" and the rule's identifier.
extension TelemetryScenarioState.Source: LosslessStringConvertible {
    private static let rulePrefix = "rule:"

    public var description: String {
        switch self {
        case .registration: "registration"
        case .host: "host"
        case .viewer: "viewer"
        case .rule(let ruleId): Self.rulePrefix + ruleId
        }
    }

    /// Reads the stored form; nil if it is unknown.
    public init?(_ description: String) {
        switch description {
        case "registration": self = .registration
        case "host": self = .host
        case "viewer": self = .viewer
        default:
            guard description.utf8.starts(with: Self.rulePrefix.utf8) else { return nil }
            self = .rule(String(decoding: description.utf8.dropFirst(Self.rulePrefix.utf8.count), as: UTF8.self))
        }
    }
}

extension TelemetryScenarioState.Source: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let source = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a valid source of a state")
        }
        self = source
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
