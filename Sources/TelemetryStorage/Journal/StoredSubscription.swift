/// A subscription of a viewer or client, as stored in its file and in the journal.
package struct StoredSubscription: Sendable, Hashable, Codable {
    package let id: String
    package let recordType: String
    /// Only changes to this client's records; nil: to any client's.
    package let clientId: String?

    package init(id: String, recordType: String, clientId: String?) {
        self.id = id
        self.recordType = recordType
        self.clientId = clientId
    }

    /// Whether the subscription applies to a change of a record.
    package func covers(_ change: RecordChange) -> Bool {
        recordType == change.recordType && (clientId == nil || clientId == change.clientId)
    }
}
