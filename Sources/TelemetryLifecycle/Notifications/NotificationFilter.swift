import TelemetryModels
import TelemetryTransport

/// Which notifications concern a client: a shared store notifies of every client's subscriptions.
struct NotificationFilter: Sendable, Equatable {
    let clientId: String
    /// The identifier that a host's own manager chose for the subscription to commands; nil if it chose none.
    var commandSubscriptionID: TelemetrySubscription.ID?

    /// The subscription to the client's own record, by which a viewer's approval is noticed at once.
    static func clientSubscription(for clientId: String) -> TelemetrySubscription {
        let type = TelemetrySchema.clientRecordType
        return TelemetrySubscription(id: "\(type)-\(clientId)", recordType: type, clientId: clientId)
    }

    static func commandSubscriptionID(for clientId: String) -> TelemetrySubscription.ID {
        "\(TelemetrySchema.commandRecordType)-\(clientId)"
    }

    /// Whether the notification may concern a command for this client.
    func concernsCommands(_ notification: TelemetryNotification) -> Bool {
        guard notification.recordType == nil || notification.recordType == TelemetrySchema.commandRecordType else {
            return false
        }
        guard let subscription = notification.subscriptionID else { return true }
        return subscription == commandSubscriptionID || subscription == Self.commandSubscriptionID(for: clientId)
    }

    /// Whether the notification may concern this client's own record.
    func concernsClient(_ notification: TelemetryNotification) -> Bool {
        guard notification.recordType == nil || notification.recordType == TelemetrySchema.clientRecordType else {
            return false
        }
        if let record = notification.recordID, notification.recordType != nil { return record == .client(clientId) }
        guard let subscription = notification.subscriptionID else { return true }
        return subscription == Self.clientSubscription(for: clientId).id
    }

    /// The subscription to the rules, which all clients of a store share.
    static let ruleSubscription = TelemetrySubscription(
        id: "\(TelemetrySchema.ruleRecordType)-All", recordType: TelemetrySchema.ruleRecordType)

    /// Whether the notification may concern a rule.
    func concernsRules(_ notification: TelemetryNotification) -> Bool {
        if let type = notification.recordType { return type == TelemetrySchema.ruleRecordType }
        return notification.subscriptionID == Self.ruleSubscription.id
    }
}
