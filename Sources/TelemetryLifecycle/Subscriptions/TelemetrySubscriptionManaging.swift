public import TelemetryTransport

/// Keeps the client's one subscription to its commands.
public protocol TelemetrySubscriptionManaging: Sendable {
    /// The subscription that is registered; nil where there is none.
    var currentSubscriptionID: TelemetrySubscription.ID? { get async }

    /// Subscribes to the client's commands; repeating it does no harm.
    func registerSubscription(for clientId: String) async throws

    /// Ends the subscription; where there is none that is no error.
    func unregisterSubscription() async throws
}
