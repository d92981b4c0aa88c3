extension TelemetryLifecycleService {
    /// Where telemetry stands, as a person would want to read it.
    public enum Status: Equatable, Sendable {
        /// Nothing was begun, or the service was shut down.
        case idle
        /// The settings are being read.
        case loading
        /// Settings and store are being brought together.
        case syncing
        /// Events are sent.
        case enabled
        /// Telemetry is not requested.
        case disabled
        /// Telemetry is requested, and the viewer has not approved it yet.
        case pendingApproval
        /// The store could not be reached, or something could not be finished; it is tried again.
        case error(String)
    }

    /// What comparing the settings here with the client's record at the store came to.
    public enum ReconciliationResult: Equatable, Sendable {
        /// Both agree that events are sent.
        case localAndServerEnabled
        /// The viewer had approved; sending was turned on.
        case serverEnabledLocalDisabled
        /// The viewer withdrew its approval; telemetry was disabled.
        case serverDisabledLocalEnabled
        /// Telemetry is not requested.
        case allDisabled
        /// The client's record is gone; the settings were reset.
        case missingClient
        /// The viewer has not approved yet.
        case pendingApproval
    }
}
