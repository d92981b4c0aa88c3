public import TelemetryModels

/// Everything that a client or a viewer needs from a store.
///
/// A conformer implements the requirements of the three inherited protocols that have no default, ``validateSchema()`` and
/// ``debugInfo()``. The operations on clients, scenarios, commands and subscriptions are extensions of the inherited protocols.
public protocol TelemetryTransporting: TelemetryEventTransport, TelemetryRecordTransport, TelemetrySubscriptionTransport {
    /// Whether the store can be reached and has the types of ``TelemetryModels/TelemetrySchema``.
    func validateSchema() async -> Bool

    /// Information about the store for developers. Never fails: errors are part of the result.
    func debugInfo() async -> DebugInfo

    /// Identifies the store, with the same text in every process and after a restart: hosts keep their state for each store
    /// separately. Nil, the default, if there is no such text.
    nonisolated var storeIdentifier: String? { get }

    /// How long a change may be missing from the results of ``TelemetryRecordTransport/records(matching:)`` and of the event methods
    /// that take a filter; zero, the default, if they return every change at once. A client repeats deletions that are based on
    /// such results after this time.
    nonisolated var consistencyDelay: Duration { get }

    /// Sets the identifier of this process's client; nil if it is not a client.
    ///
    /// The lifecycle service calls it whenever the identity changes, before the first call that concerns it. A transport that
    /// authenticates clients needs it; others may ignore it, as the default does.
    func setClientIdentifier(_ clientId: String?) async
}

extension TelemetryTransporting {
    public nonisolated var storeIdentifier: String? { nil }

    public nonisolated var consistencyDelay: Duration { .zero }

    public func setClientIdentifier(_ clientId: String?) async {}
}
