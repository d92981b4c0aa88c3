import Synchronization
import TelemetryLogging
import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A logger that is not the library's, as the service controls it: without budgets, flight recorder and counts.
///
/// It cannot pause, so it is off during a pause, which discards its waiting events; and it accepts and sends events after
/// ``withdraw()`` until it is turned off. The service's calls do not overlap, except those of
/// ``withdraw()``, ``beginShutdown()`` and ``shutdown()``.
actor ForeignLogger: ControlledLogger {
    private let base: any TelemetryLogging
    /// Whether recording was turned on; nil until the logger is activated.
    private var isWanted: Bool?
    private var isOn = false
    private var isPaused = false
    private nonisolated let isEnding = Mutex(false)
    /// Until recording is turned off, nothing else turns it on.
    private nonisolated let isWithdrawn = Mutex(false)

    init(_ base: any TelemetryLogging) { self.base = base }

    // MARK: What the logger does itself

    func setClientIdentifier(_ clientId: String?) async { await base.setClientIdentifier(clientId) }

    func updateScenarios(_ states: [String: TelemetryScenarioState]) async { await base.updateScenarios(states) }

    func shutdown() async { await base.shutdown() }

    // MARK: Recording

    private var isAllowed: Bool { isWanted == true && !isPaused && !isWithdrawn.withLock(\.self) }

    func activate(enabled: Bool) async {
        want(enabled)
        isOn = isAllowed
        await base.activate(enabled: isOn)
    }

    func setEnabled(_ enabled: Bool) async {
        want(enabled)
        await apply()
    }

    func setPaused(_ isPaused: Bool) async {
        self.isPaused = isPaused
        await apply()
    }

    nonisolated func beginShutdown() { isEnding.withLock { $0 = true } }

    nonisolated func withdraw() { isWithdrawn.withLock { $0 = true } }

    private func want(_ isOn: Bool) {
        isWanted = isOn
        if !isOn { isWithdrawn.withLock { $0 = false } }
    }

    private func apply() async {
        let isAllowed = isAllowed
        guard isWanted != nil, isOn != isAllowed else { return }
        isOn = isAllowed
        await base.setEnabled(isOn)
    }

    /// A logger begins a new session after a shutdown only.
    func renewSession() async -> String? {
        guard isWanted != nil else { return nil }
        let ended = base.currentSessionId
        // A shutdown alone would deliver the events that wait.
        isOn = false
        await base.setEnabled(false)
        // The service's shutdown ends the session as well.
        guard !isEnding.withLock(\.self) else { return ended }
        await base.shutdown()
        guard !isEnding.withLock(\.self) else { return ended }
        isOn = isAllowed
        await base.activate(enabled: isOn)
        return base.currentSessionId == ended ? nil : ended
    }

    // MARK: What the logger cannot do

    nonisolated var deliveredToday: TelemetryDeliveryCount? { nil }

    nonisolated var sessionStatus: TelemetrySessionStatus { TelemetrySessionStatus() }

    nonisolated func setConsentCheck(_ check: TelemetryConsentCheck) {}

    nonisolated var hasStragglers: Bool { false }

    nonisolated func limit(
        to budget: ScenarioBudget?, onSuspension: @escaping @Sendable (_ suspensions: [String: Date]) async -> Void
    ) -> Bool { false }

    nonisolated func withholdBudgetReports(of scenarios: Set<String>) {}

    nonisolated var hasRecorder: Bool { false }

    func setRecordedScenarios(_ scenarios: Set<String>, level: TelemetryLogLevel, capturesAfterCrash: Bool) async {}

    func dumpRecorded(_ scenario: String, lookback: Double?) async -> Int? { nil }

    func setTriggers(_ triggers: [EventTrigger], onFiring: @escaping @Sendable (TriggerFiring) -> Void) async {}

    func reportAction(_ firing: TriggerFiring, captured: Int?) {}
}
