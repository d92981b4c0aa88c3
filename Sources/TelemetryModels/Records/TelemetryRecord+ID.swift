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
