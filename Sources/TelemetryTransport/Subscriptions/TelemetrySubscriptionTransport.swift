/// Notifications of changes to records.
public protocol TelemetrySubscriptionTransport: Sendable {
    /// Stores a subscription, replacing one with the same identifier, and returns its identifier.
    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID

    /// The stored subscription, or nil if there is none.
    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription?

    /// Removes a subscription; a missing subscription is not an error.
    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws

    /// Returns the changes from now on, by this process and others, for every saved subscription.
    ///
    /// Each call returns a new stream, which ends when its consumer does. Notifications may be merged or repeated.
    func notifications() -> AsyncStream<TelemetryNotification>
}
