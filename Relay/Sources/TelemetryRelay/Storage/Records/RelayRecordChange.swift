public import TelemetryTransport

/// A position in the change log.
public struct RelayChangePosition: Sendable, Hashable {
    /// Opaque; printable ASCII without spaces.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The saving or deletion of a record.
public struct RelayRecordChange: Sendable, Equatable {
    /// The position of this change.
    public let position: RelayChangePosition
    public let recordType: String
    public let recordName: String
    /// The record's client; nil if it has no `clientid`.
    public let clientId: String?
    /// The record's previous client if the client changed; otherwise nil.
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

    /// Whether a subscription covers this change. A subscription for a client also covers a record that leaves this client.
    public func matches(_ subscription: TelemetrySubscription) -> Bool {
        guard subscription.recordType == recordType else { return false }
        guard let wanted = subscription.clientId else { return true }
        return wanted == clientId || wanted == previousClientId
    }

    /// Whether the record belongs or belonged to one of these clients, or has no client.
    public func concerns(_ clients: Set<String>) -> Bool {
        guard let clientId else { return true }
        return clients.contains(clientId) || previousClientId.map(clients.contains) ?? false
    }
}
