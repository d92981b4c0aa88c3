/// A logger that checks before each delivery whether consent still stands.
package protocol TelemetryConsentFollowing: TelemetryLogging {
    /// From now on the check runs before each delivery; where it fails, the logger refuses events as after ``withdraw()``.
    nonisolated func follow(_ check: TelemetryConsentCheck)

    /// Refuses events and starts no delivery from now on, whatever operation is under way, until
    /// ``TelemetryLogging/setEnabled(_:)`` or ``TelemetryLogging/activate(enabled:)`` turns recording off, which must follow.
    /// Does not wait; what waits to be sent is discarded then.
    nonisolated func withdraw()

    /// Whether a delivery that was given up has not returned: it may still store what was thought discarded.
    var hasStragglers: Bool { get async }
}

/// Whether a client's events may be sent, as all processes that share its settings see it.
package struct TelemetryConsentCheck: Sendable {
    /// Whether events with this client identifier may be sent now. Called before each delivery.
    package let stands: @Sendable (_ clientId: String?) async -> Bool
    /// Called once the logger has withdrawn because consent does not stand any more; must have recording turned off.
    package let onWithdrawal: @Sendable () async -> Void

    /// Creates a check; the parameters are the properties of the same names.
    package init(
        stands: @escaping @Sendable (_ clientId: String?) async -> Bool, onWithdrawal: @escaping @Sendable () async -> Void
    ) {
        self.stands = stands
        self.onWithdrawal = onWithdrawal
    }
}
