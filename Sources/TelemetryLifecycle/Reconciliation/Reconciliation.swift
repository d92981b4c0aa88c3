import TelemetryModels

/// What follows from the local settings and the client's record at the store.
struct Reconciliation: Equatable {
    typealias Result = TelemetryLifecycleService.ReconciliationResult

    enum Step: Equatable {
        /// Telemetry is off, and stays so.
        case stayOff
        /// Sending is on, and stays so.
        case keepOn
        case turnOn
        /// Sending is off until the viewer approves.
        case wait
        /// The viewer withdrew its approval: as if telemetry were disabled here.
        case disable
        /// The client's record was never created.
        case register
        /// The client's record was deleted: the settings are reset.
        case reset
    }

    let step: Step
    /// How it is called where the step leads to an end by itself.
    let result: Result?

    /// - Parameters:
    ///   - settings: What is wanted and known here.
    ///   - needsRegistration: Whether the client's record is still to be created.
    ///   - serverEnabled: Whether the client's record is enabled; nil where there is no such record.
    ///   - isOptIn: Whether the person has just asked for telemetry, so that an earlier approval does not count as withdrawn.
    static func decide(
        settings: TelemetrySettings, needsRegistration: Bool, serverEnabled: Bool?, isOptIn: Bool = false
    ) -> Reconciliation {
        guard settings.telemetryRequested else { return Self(step: .stayOff, result: .allDisabled) }
        guard settings.clientIdentifier != nil else { return Self(step: .register, result: nil) }
        switch (settings.telemetrySendingEnabled, serverEnabled) {
        case (_, nil) where needsRegistration: return Self(step: .register, result: nil)
        case (_, nil): return Self(step: .reset, result: .missingClient)
        case (true, true?): return Self(step: .keepOn, result: .localAndServerEnabled)
        case (false, true?): return Self(step: .turnOn, result: .serverEnabledLocalDisabled)
        case (true, false?) where isOptIn: return Self(step: .wait, result: .pendingApproval)
        case (true, false?): return Self(step: .disable, result: .serverDisabledLocalEnabled)
        case (false, false?): return Self(step: .wait, result: .pendingApproval)
        }
    }
}
