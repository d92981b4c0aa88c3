import Observation
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The service's observable state, and the flags that its controllers share.
///
/// Observers never see ``TelemetryLifecycleService/Status/enabled`` while sending is off.
@MainActor
@Observable
final class LifecycleState {
    typealias Status = TelemetryLifecycleService.Status

    private(set) var status: Status = .idle
    private(set) var statusMessage: String?
    private(set) var settings: TelemetrySettings = .defaults
    private(set) var scenarios: [String: TelemetryScenarioState] = [:]
    private(set) var deniedScenarios: Set<String> = []
    private(set) var triggers: [TelemetryOverview.Trigger] = []
    /// The commands that the client executed, and the captures for rules' triggers.
    private(set) var executedActions: [TelemetryOverview.ViewerAction] = []
    /// The rules by which scenarios are on.
    private(set) var ruleActions: [TelemetryOverview.ViewerAction] = []
    var reconciliation: TelemetryLifecycleService.ReconciliationResult?
    var clientRecord: TelemetryClientRecord?
    var isRestorationInProgress = false
    var isProcessingCommands = false
    /// Who paused telemetry.
    private(set) var pause: TelemetryPause = []
    /// Whether the startup, or an operation that completes it, has begun.
    @ObservationIgnored var hasStarted = false
    /// Whether the shutdown has begun: nothing is turned on, and no background work starts.
    @ObservationIgnored var isShutDown = false
    /// Whether a call has failed since the last reconciliation, so that it is repeated soon.
    @ObservationIgnored var needsRetry = false
    /// Whether the service was shut down, so that nothing is sent or followed any more.
    private var hasEnded = false

    var isPaused: Bool { !pause.isEmpty }

    func show(_ status: Status, _ message: String?) {
        var (shown, message) = (status, message)
        if status == .enabled, !settings.telemetrySendingEnabled { shown = .syncing }
        if hasEnded, shown != .disabled, !shown.isError { (shown, message) = (.idle, "The service was shut down.") }
        if statusMessage != message { statusMessage = message }
        if self.status != shown { self.status = shown }
    }

    /// Notes the shutdown. The status is then neither enabled nor in progress.
    func end() {
        hasEnded = true
        isRestorationInProgress = false
        show(status, statusMessage)
    }

    func show(_ settings: TelemetrySettings) {
        if !settings.telemetrySendingEnabled, status == .enabled { status = .syncing }
        if self.settings.clientIdentifier != settings.clientIdentifier { executedActions = [] }
        if self.settings != settings { self.settings = settings }
    }

    func show(pause: TelemetryPause) {
        if self.pause != pause { self.pause = pause }
    }

    func show(_ scenarios: [String: TelemetryScenarioState]) {
        if self.scenarios != scenarios { self.scenarios = scenarios }
    }

    /// Shows the triggers that the logger has.
    func show(_ triggers: [EventTrigger]) {
        let known = self.triggers
        let shown = triggers.map { trigger in
            known.first { $0.isOf(trigger) }
                ?? TelemetryOverview.Trigger(ruleId: trigger.ruleId, scenario: trigger.scenario, trigger: trigger.trigger)
        }
        if known != shown { self.triggers = shown }
    }

    /// Counts an action of a trigger.
    func show(actionOf trigger: EventTrigger, at date: Date) {
        guard let index = triggers.firstIndex(where: { $0.isOf(trigger) }) else { return }
        triggers[index].actions += 1
        triggers[index].lastAction = date
    }

    /// Adds what the client executed; a rule's later capture replaces the earlier one.
    func show(executed actions: [TelemetryOverview.ViewerAction], of clientId: String?) {
        // The user may have opted out meanwhile.
        guard settings.clientIdentifier == clientId else { return }
        let new = Set(actions.map(\.id))
        let shown = (executedActions.filter { !new.contains($0.id) } + actions).newest
        if executedActions != shown { executedActions = shown }
    }

    func show(ruleActions actions: [TelemetryOverview.ViewerAction]) {
        if ruleActions != actions { ruleActions = actions }
    }

    func show(denied scenarios: Set<String>) {
        if deniedScenarios != scenarios { deniedScenarios = scenarios }
    }
}

extension TelemetryOverview.Trigger {
    fileprivate func isOf(_ other: EventTrigger) -> Bool {
        ruleId == other.ruleId && scenario == other.scenario && trigger == other.trigger
    }
}
