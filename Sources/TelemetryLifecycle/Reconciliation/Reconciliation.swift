import TelemetryModels

/// The step that follows from the local settings and the client's record in the store.
struct Reconciliation: Equatable {
    typealias Result = TelemetryLifecycleService.ReconciliationResult

    enum Step: Equatable {
        /// Telemetry stays off.
        case stayOff
        /// Sending stays on.
        case keepOn
        case turnOn
        /// Sending is off until the viewer approves.
        case wait
        /// The viewer withdrew its approval: telemetry is disabled.
        case disable
        /// The client's record was never created.
        case register
        /// The client's record was deleted: the settings are reset.
        case reset
    }

    let step: Step
    /// The result of the reconciliation, if the step leads to one.
    let result: Result?

    /// - Parameters:
    ///   - settings: The local settings.
    ///   - needsRegistration: Whether the client's record still has to be created.
    ///   - serverEnabled: Whether the client's record is enabled; nil if there is no record.
    ///   - isOptIn: Whether the user has just opted in, so that a missing approval does not count as withdrawn.
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
