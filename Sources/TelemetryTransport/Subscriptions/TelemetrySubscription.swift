package import TelemetryModels

/// A request to be notified of changes to records of one type, of one client or of all.
public struct TelemetrySubscription: Sendable, Hashable, Codable, Identifiable {
    public typealias ID = String

    public let id: ID
    /// The type of the records whose changes are notified.
    public let recordType: String
    /// Only records with this client identifier; nil: the records of every client.
    public let clientId: String?

    /// Creates a subscription; without a client identifier it applies to every record of the type.
    public init(id: ID, recordType: String, clientId: String? = nil) {
        self.id = id
        self.recordType = recordType
        self.clientId = clientId
    }
}

extension TelemetrySubscription {
    /// Whether a change to the record matches.
    package func covers(_ record: TelemetryRecord) -> Bool {
        covers(record.recordType, ofClient: record[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue)
    }

    /// Whether a change to a record of that type, and of that client if it is one's, matches.
    func covers(_ recordType: String, ofClient clientId: String?) -> Bool {
        recordType == self.recordType && (self.clientId == nil || clientId == self.clientId)
    }
}
