/// What a viewer or client wants to hear of, as its file and the journal hold it.
package struct StoredSubscription: Sendable, Hashable, Codable {
    package let id: String
    package let recordType: String
    /// Only changes of this client's records; nil: of anybody's.
    package let clientId: String?

    package init(id: String, recordType: String, clientId: String?) {
        self.id = id
        self.recordType = recordType
        self.clientId = clientId
    }

    /// Whether a change of a record is one to tell of.
    package func covers(_ change: RecordChange) -> Bool {
        recordType == change.recordType && (clientId == nil || clientId == change.clientId)
    }
}
