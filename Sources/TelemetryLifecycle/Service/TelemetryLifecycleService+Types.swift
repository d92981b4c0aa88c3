extension TelemetryLifecycleService {
    /// The status of telemetry, for display.
    public enum Status: Equatable, Sendable {
        /// The service was not started, or was shut down.
        case idle
        /// The settings are being read.
        case loading
        /// The settings and the store are being reconciled.
        case syncing
        /// Events are sent.
        case enabled
        /// Telemetry is not requested.
        case disabled
        /// Telemetry is requested, and the viewer has not approved it yet.
        case pendingApproval
        /// The store could not be reached, or an operation could not be completed; it will be retried.
        case error(String)
    }

    /// The result of comparing the local settings with the client's record in the store.
    public enum ReconciliationResult: Equatable, Sendable {
        /// Sending is enabled on both sides.
        case localAndServerEnabled
        /// The viewer approved the client; sending was turned on.
        case serverEnabledLocalDisabled
        /// The viewer withdrew its approval; telemetry was disabled.
        case serverDisabledLocalEnabled
        /// Telemetry is not requested.
        case allDisabled
        /// The client's record was deleted; the settings were reset.
        case missingClient
        /// The viewer has not approved yet.
        case pendingApproval
    }
}
