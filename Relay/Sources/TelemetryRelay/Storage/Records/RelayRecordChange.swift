public import TelemetryTransport

/// A place in the log of changes.
public struct RelayChangePosition: Sendable, Hashable {
    /// Opaque; printable ASCII without spaces.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A record was saved or deleted.
public struct RelayRecordChange: Sendable, Equatable {
    /// The place of this change.
    public let position: RelayChangePosition
    public let recordType: String
    public let recordName: String
    /// Whose record it is; nil where it has no `clientid`.
    public let clientId: String?
    /// Whose record it was where it became another client's; otherwise nil.
    public let previousClientId: String?

    public init(
        position: RelayChangePosition, recordType: String, recordName: String, clientId: String?, previousClientId: String? = nil
    ) {
        self.position = position
        self.recordType = recordType
        self.recordName = recordName
        self.clientId = clientId
        self.previousClientId = previousClientId
    }

    /// Whether a subscription is about this change. One for a client also covers a record that was this client's until now.
    public func matches(_ subscription: TelemetrySubscription) -> Bool {
        guard subscription.recordType == recordType else { return false }
        guard let wanted = subscription.clientId else { return true }
        return wanted == clientId || wanted == previousClientId
    }

    /// Whether it is about a record of one of these clients, or one that was until now, or one without a client.
    public func concerns(_ clients: Set<String>) -> Bool {
        guard let clientId else { return true }
        return clients.contains(clientId) || previousClientId.map(clients.contains) ?? false
    }
}
