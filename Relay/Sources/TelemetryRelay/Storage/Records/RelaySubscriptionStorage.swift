public import TelemetryTransport

/// Requests to be notified, each its owner's: two owners may use the same identifier and do not see each other's.
public protocol RelaySubscriptionStorage: Sendable {
    /// Saves a subscription in the place of the owner's earlier one of that identifier.
    func saveSubscription(_ subscription: TelemetrySubscription, owner: String) async throws
    /// The owner's subscription of that identifier; nil where there is none.
    func subscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> TelemetrySubscription?
    /// Deletes the owner's subscription of that identifier.
    /// - Returns: whether there was one.
    @discardableResult
    func deleteSubscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> Bool
    /// All of the owner's subscriptions, by identifier.
    func subscriptions(owner: String) async throws -> [TelemetrySubscription]
}
