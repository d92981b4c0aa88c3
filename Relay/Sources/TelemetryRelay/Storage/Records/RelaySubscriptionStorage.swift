public import TelemetryTransport

/// Stores subscriptions by owner: two owners may use the same identifier, and neither can access the other's subscriptions.
public protocol RelaySubscriptionStorage: Sendable {
    /// Saves a subscription. Replaces the owner's earlier one with that identifier.
    func save(_ subscription: TelemetrySubscription, owner: String) async throws
    /// Returns the owner's subscription with that identifier; nil if there is none.
    func subscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> TelemetrySubscription?
    /// Deletes the owner's subscription with that identifier.
    /// - Returns: whether it existed.
    @discardableResult
    func delete(withID id: TelemetrySubscription.ID, owner: String) async throws -> Bool
    /// Returns all subscriptions of an owner, sorted by identifier.
    func all(owner: String) async throws -> [TelemetrySubscription]
}
