/// An entry of a relay's audit: who did what.
public struct AuditEntry: Sendable, Equatable {
    /// The position in the audit.
    public let number: Int64
    /// When the entry was written, by the relay's clock.
    public let time: String
    /// The token's name; nil for a request without a token, and for the relay's own command.
    public let token: String?
    public let role: String?
    public let address: String?
    /// What was done, such as `events.read`.
    public let action: String
    /// The client that it concerns; nil if it concerns none or all.
    public let client: String?
    /// The request's filters, or what was changed.
    public let detail: String?
    /// The status of the response.
    public let status: Int?

    /// Whether it is a read or a deletion of events that was not limited to one client.
    public var concernsAnyClient: Bool { client == nil && action.hasPrefix("events.") }

    /// The actions of this version of the relay.
    public static let actions = [
        "client.approve", "client.disapprove", "client.save", "command.create", "command.change", "scenario.save", "rule.save",
        "record.save", "record.delete", "events.read", "events.count", "events.query", "events.export", "events.stream",
        "events.streamEnd", "events.delete", "request.refuse", "session.signIn", "alert.save", "alert.delete", "alert.test",
        "token.create",
        "token.revoke", "webhook.create",
        "webhook.remove", "database.restore",
    ]

    /// Returns nil if the JSON object is not an entry.
    init?(_ object: [String: Any]) {
        guard let number = object["number"] as? Int64, let time = object["time"] as? String,
            let action = object["action"] as? String
        else { return nil }
        (self.number, self.time, self.action) = (number, time, action)
        token = object["token"] as? String
        role = object["role"] as? String
        address = object["address"] as? String
        client = object["client"] as? String
        detail = object["detail"] as? String
        status = object["status"] as? Int
    }
}
