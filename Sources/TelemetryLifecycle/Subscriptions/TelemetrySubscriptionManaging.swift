public import TelemetryTransport

/// Manages the client's subscription to its commands.
public protocol TelemetrySubscriptionManaging: Sendable {
    /// The registered subscription; nil if there is none.
    var currentSubscriptionID: TelemetrySubscription.ID? { get async }

    /// Subscribes to the client's commands. Repeated calls have no effect.
    func registerSubscription(for clientId: String) async throws

    /// Ends the subscription. Does nothing if there is none.
    func unregisterSubscription() async throws
}
