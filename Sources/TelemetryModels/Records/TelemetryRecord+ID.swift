extension TelemetryRecord {
    /// A record's identifier within its store. Names that are equal by Swift's `==` are the same identifier.
    public struct ID: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The name, unique in the store.
        public let recordName: String

        /// Creates an identifier from a name.
        public init(recordName: String) { self.recordName = recordName }
        public init(stringLiteral value: String) { self.init(recordName: value) }
    }
}

extension TelemetryRecord.ID: Codable {
    /// Reads the bare name.
    public init(from decoder: any Decoder) throws {
        self.init(recordName: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the bare name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(recordName)
    }
}

extension TelemetryRecord.ID: CustomStringConvertible {
    public var description: String { recordName }
}

/// Record identifiers derived from the records' own identifiers, so that creating the same record twice finds the first one.
///
/// ASCII, at most 255 characters, without a leading underscore: accepted by every known store.
extension TelemetryRecord.ID {
    package static func client(_ clientId: String) -> Self {
        Self(recordName: "client-\(EncodedName.encode(clientId))")
    }

    package static func scenario(_ scenarioName: String, ofClient clientId: String) -> Self {
        let client = EncodedName.encode(clientId, limit: 120)
        return Self(recordName: "scenario-\(client)-\(EncodedName.encode(scenarioName, limit: 120))")
    }

    package static func command(_ commandId: String) -> Self {
        Self(recordName: "command-\(EncodedName.encode(commandId))")
    }

    package static func rule(_ ruleId: String) -> Self {
        Self(recordName: "rule-\(EncodedName.encode(ruleId))")
    }
}
