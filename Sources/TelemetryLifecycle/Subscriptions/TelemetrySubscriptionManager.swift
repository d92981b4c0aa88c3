public import TelemetryTransport

/// Keeps one client's subscription to its commands at a transport.
public actor TelemetrySubscriptionManager: TelemetrySubscriptionManaging {
    private let transport: any TelemetrySubscriptionTransport
    public private(set) var currentSubscriptionID: TelemetrySubscription.ID?

    /// Creates a manager that registers subscriptions with the transport; it makes no call yet.
    public init(transport: any TelemetrySubscriptionTransport) {
        self.transport = transport
    }

    /// Subscribes to the client's commands, unless the store knows that subscription already.
    ///
    /// Where another client was subscribed before, its subscription stays until ``unregisterSubscription()`` or the store ends it.
    /// - Throws: what the transport throws; then nothing is subscribed that was not before.
    public func registerSubscription(for clientId: String) async throws {
        if let known = try await transport.fetchCommandSubscription(for: clientId) {
            currentSubscriptionID = known
        } else {
            currentSubscriptionID = try await transport.createCommandSubscription(for: clientId)
        }
    }

    /// Ends the subscription that is registered.
    /// - Throws: what the transport throws; the subscription is still known then, and ending it can be tried again.
    public func unregisterSubscription() async throws {
        guard let id = currentSubscriptionID else { return }
        try await transport.removeCommandSubscription(id)
        if currentSubscriptionID == id { currentSubscriptionID = nil }
    }
}
