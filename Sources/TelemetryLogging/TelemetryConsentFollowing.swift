/// A logger that checks before each append whether consent is still given.
package protocol TelemetryConsentFollowing: TelemetryLogging {
    /// Runs the check before each append from now on. If it fails, the logger refuses events as after ``withdraw()``.
    nonisolated func follow(_ check: TelemetryConsentCheck)

    /// Refuses events and starts no append from now on, even during another operation, until a call of
    /// ``TelemetryLogging/setEnabled(_:)`` or ``TelemetryLogging/activate(enabled:)`` turns recording off. That call must follow;
    /// it discards the events that wait. Returns without waiting.
    nonisolated func withdraw()

    /// Whether an abandoned append has not returned. It may still store events that count as discarded.
    var hasStragglers: Bool { get async }
}

/// A check whether a client's events may be sent, according to the settings that all processes share.
package struct TelemetryConsentCheck: Sendable {
    /// Whether events with this client identifier may be sent now. Called before each append.
    package let isGranted: @Sendable (_ clientId: String?) async -> Bool
    /// Called when the logger has withdrawn because the check failed; must turn recording off.
    package let onWithdrawal: @Sendable () async -> Void

    /// Creates a check; the parameters are the properties of the same names.
    package init(
        isGranted: @escaping @Sendable (_ clientId: String?) async -> Bool, onWithdrawal: @escaping @Sendable () async -> Void
    ) {
        self.isGranted = isGranted
        self.onWithdrawal = onWithdrawal
    }
}
