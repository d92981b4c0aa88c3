import Observation
import TelemetryModels

/// What the service shows.
///
/// However a change comes about, no observer sees ``TelemetryLifecycleService/Status/enabled`` with sending off.
@MainActor
@Observable
final class LifecycleState {
    typealias Status = TelemetryLifecycleService.Status

    private(set) var status: Status = .idle
    private(set) var statusMessage: String?
    private(set) var settings: TelemetrySettings = .defaults
    private(set) var scenarios: [String: TelemetryScenarioState] = [:]
    private(set) var deniedScenarios: Set<String> = []
    var reconciliation: TelemetryLifecycleService.ReconciliationResult?
    var clientRecord: TelemetryClientRecord?
    var isRestorationInProgress = false
    var isProcessingCommands = false
    var isPaused = false
    /// Whether the service was shut down, so that nothing is sent or followed any more.
    private var hasEnded = false

    func show(_ status: Status, _ message: String?) {
        var (honest, message) = (status, message)
        if status == .enabled, !settings.telemetrySendingEnabled { honest = .syncing }
        if hasEnded, honest != .disabled, !honest.isError { (honest, message) = (.idle, "The service was shut down.") }
        if statusMessage != message { statusMessage = message }
        if self.status != honest { self.status = honest }
    }

    /// The service is shut down: its status says neither that events are sent nor that anything is under way.
    func end() {
        hasEnded = true
        isRestorationInProgress = false
        show(status, statusMessage)
    }

    func show(_ settings: TelemetrySettings) {
        if !settings.telemetrySendingEnabled, status == .enabled { status = .syncing }
        if self.settings != settings { self.settings = settings }
    }

    func show(_ scenarios: [String: TelemetryScenarioState]) {
        if self.scenarios != scenarios { self.scenarios = scenarios }
    }

    func show(denied scenarios: Set<String>) {
        if deniedScenarios != scenarios { deniedScenarios = scenarios }
    }
}

extension TelemetryLifecycleService.Status {
    fileprivate var isError: Bool { if case .error = self { true } else { false } }
}
