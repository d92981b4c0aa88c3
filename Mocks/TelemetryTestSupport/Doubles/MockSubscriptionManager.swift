public import TelemetryLifecycle
public import TelemetryTransport

/// A subscription manager that records its calls and fails on request.
public actor MockSubscriptionManager: TelemetrySubscriptionManaging {
    /// A call, with its argument.
    public enum Call: Sendable, Equatable {
        /// A call of `registerSubscription(for:)`.
        case register(clientId: String)
        /// A call of `unregisterSubscription()`.
        case unregister
    }

    public private(set) var currentSubscriptionID: TelemetrySubscription.ID?
    /// The error that registering throws; nil if it succeeds.
    public private(set) var registrationError: (any Error)?
    /// The error that unregistering throws; nil if it succeeds.
    public private(set) var unregistrationError: (any Error)?
    private nonisolated let log = CallLog<Call>()

    /// Creates a manager without a subscription.
    public init() {}

    /// Every call so far, in order.
    public nonisolated var calls: [Call] { log.calls }

    /// Returns once the call has been made.
    public nonisolated func called(_ call: Call) async { await log.wait { $0.contains(call) } }

    /// Makes registering fail from now on; nil makes it succeed again.
    public func failRegistration(with error: (any Error)?) { registrationError = error }

    /// Makes unregistering fail from now on; nil makes it succeed again.
    public func failUnregistration(with error: (any Error)?) { unregistrationError = error }

    public func registerSubscription(for clientId: String) async throws {
        log.append(.register(clientId: clientId))
        if let registrationError { throw registrationError }
        currentSubscriptionID = "TelemetryCommand-\(clientId)"
    }

    public func unregisterSubscription() async throws {
        log.append(.unregister)
        if let unregistrationError { throw unregistrationError }
        currentSubscriptionID = nil
    }
}
