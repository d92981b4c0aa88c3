public import TelemetryTransport

/// Manages one client's subscription to its commands in a transport.
public actor TelemetrySubscriptionManager: TelemetrySubscriptionManaging {
    private let transport: any TelemetrySubscriptionTransport
    public private(set) var currentSubscriptionID: TelemetrySubscription.ID?

    /// Creates a manager that registers subscriptions with the transport. Makes no call.
    public init(transport: any TelemetrySubscriptionTransport) {
        self.transport = transport
    }

    /// Subscribes to the client's commands, unless the store already has the subscription.
    ///
    /// The subscription of another client that was registered before stays until ``unregisterSubscription()`` or the store ends
    /// it.
    /// - Throws: The transport's error; then no subscription was added.
    public func registerSubscription(for clientId: String) async throws {
        if let known = try await transport.fetchCommandSubscription(for: clientId) {
            currentSubscriptionID = known
        } else {
            currentSubscriptionID = try await transport.createCommandSubscription(for: clientId)
        }
    }

    /// Ends the registered subscription.
    /// - Throws: The transport's error; then the subscription stays registered and ending it can be retried.
    public func unregisterSubscription() async throws {
        guard let id = currentSubscriptionID else { return }
        try await transport.removeCommandSubscription(id)
        if currentSubscriptionID == id { currentSubscriptionID = nil }
    }
}
