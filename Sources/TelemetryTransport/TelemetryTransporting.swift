public import TelemetryModels

/// Everything that a client or a viewer needs of a store.
///
/// A conformer writes the roles' primitives and these two; the operations on clients, scenarios, commands and subscriptions
/// are extensions over the roles and come with them.
public protocol TelemetryTransporting: TelemetryEventTransport, TelemetryRecordTransport, TelemetrySubscriptionTransport {
    /// Whether the store can be reached and knows the types of ``TelemetryModels/TelemetrySchema``.
    func validateSchema() async -> Bool

    /// What a developer wants to know about the store. Never fails: what went wrong is told in it.
    func debugInfo() async -> DebugInfo

    /// Tells the store from others, the same in every process and after a restart: hosts keep what they store on their side for
    /// each store apart. Nil, the default, where there is no such text.
    nonisolated var storeIdentifier: String? { get }

    /// Sets the identifier of the client that this process is; nil where it is none.
    ///
    /// The lifecycle service calls it whenever the identity changes, before the first call that concerns it. A transport that
    /// authenticates clients needs it; others may ignore it, as the default does.
    func setClientIdentifier(_ clientId: String?) async
}

extension TelemetryTransporting {
    public nonisolated var storeIdentifier: String? { nil }

    public func setClientIdentifier(_ clientId: String?) async {}
}
