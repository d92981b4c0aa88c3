package import Foundation
package import TelemetryModels

/// A logger as the lifecycle service controls it. ``TelemetryLogger`` is one; the service adapts any other logger.
package protocol ControlledLogger: Actor {
    // MARK: As for every logger, see `TelemetryLogging`

    func setClientIdentifier(_ clientId: String?) async
    func updateScenarios(_ states: [String: TelemetryScenarioState]) async
    func activate(enabled: Bool) async
    func setEnabled(_ enabled: Bool) async
    func shutdown() async

    // MARK: Pauses and sessions

    /// Pauses or resumes the logger.
    ///
    /// A paused logger records no event and starts no delivery, even if recording is turned on; waiting events are kept. An append
    /// in progress is cancelled and awaited. If the logger is activated while it is paused, held events are discarded.
    func setPaused(_ isPaused: Bool) async

    /// Discards the events that were not sent and begins a new session; recording stays on or off. Has no effect before
    /// activation and after ``shutdown()``.
    /// - Returns: the session that ended if the transport may have events of it; otherwise nil.
    func renewSession() async -> String?

    /// Called before ``shutdown()``, which may be called while another call is in progress. Returns without waiting.
    nonisolated func beginShutdown()

    /// What the transport accepted from this logger since midnight, by the logger's date and calendar; nil if it does not count. May
    /// be read on any thread.
    nonisolated var deliveredToday: TelemetryDeliveryCount? { get }

    /// Whether the current session is marked on the device, and which ended sessions were logged. May be read on any thread.
    nonisolated var sessionStatus: TelemetrySessionStatus { get }

    // MARK: Consent

    /// Runs the check before each append from now on. If it fails, the logger refuses events as after ``withdraw()``.
    nonisolated func setConsentCheck(_ check: TelemetryConsentCheck)

    /// Refuses events and starts no append from now on, even during another operation, until a call of
    /// ``setEnabled(_:)`` or ``activate(enabled:)`` turns recording off. That call must follow;
    /// it discards the events that wait. Returns without waiting.
    nonisolated func withdraw()

    /// Whether an abandoned append has not returned. It may still store events that count as discarded.
    var hasStragglers: Bool { get async }

    // MARK: Budgets

    /// Limits how much each scenario records. Called before the logger is activated.
    /// - Parameters:
    ///   - budget: The limits of each scenario; nil for none.
    ///   - onSuspension: Called with all scenarios whose budget is used up, and the dates at which they record again, when they
    ///     change. It must not wait for a call of the logger.
    /// - Returns: False if the logger cannot limit scenarios.
    @discardableResult
    nonisolated func limit(
        to budget: ScenarioBudget?, onSuspension: @escaping @Sendable (_ suspensions: [String: Date]) async -> Void
    ) -> Bool

    /// Sets the scenarios that the user has denied. What their budgets suppress is not reported from now on.
    nonisolated func withholdBudgetReports(of scenarios: Set<String>)

    // MARK: The flight recorder

    /// Whether the logger has a flight recorder, which keeps the last events of scenarios that are off.
    nonisolated var hasRecorder: Bool { get }

    /// Sets the recorded scenarios, and removes the events that were kept of other scenarios.
    ///
    /// Events are kept only while the logger is on, not paused and has a client, and only while their scenario is off.
    /// - Parameters:
    ///   - level: More detailed events are neither kept nor dumped.
    ///   - capturesAfterCrash: Whether the events that an earlier process kept are logged if it ended without a shutdown.
    func setRecordedScenarios(_ scenarios: Set<String>, level: TelemetryLogLevel, capturesAfterCrash: Bool) async

    /// Logs the events that were kept of a scenario, in order and with their own times, and marks them, so that
    /// they are not dumped again.
    /// - Parameter lookback: The greatest age of the events, in seconds; nil for all.
    /// - Returns: the number of events; nil if the scenario is not recorded now.
    func dumpRecorded(_ scenario: String, lookback: Double?) async -> Int?

    // MARK: Triggers

    /// Replaces the triggers, which read the events that are recorded or kept from now on. Those that stay keep what they have counted.
    /// - Parameter onFiring: Called on the logger's actor with what a trigger demands. It must not wait for a call of the logger.
    func setTriggers(_ triggers: [EventTrigger], onFiring: @escaping @Sendable (_ firing: TriggerFiring) -> Void) async

    /// Records an event that reports what was done because of a trigger, and delivers it soon.
    /// - Parameter captured: How many events of the flight recorder were logged; nil if the scenario was turned on.
    func reportAction(_ firing: TriggerFiring, captured: Int?) async
}

/// A number of delivered events and their size.
package struct TelemetryDeliveryCount: Sendable, Hashable {
    package var events: UInt64
    /// The size of the events as the logger encodes them, in bytes.
    package var bytes: UInt64

    /// Creates a count; the parameters are the properties of the same names.
    package init(events: UInt64 = 0, bytes: UInt64 = 0) {
        self.events = events
        self.bytes = bytes
    }
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
