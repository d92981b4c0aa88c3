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
        guard record.recordType == recordType else { return false }
        guard let clientId else { return true }
        return record[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue == clientId
    }
}
