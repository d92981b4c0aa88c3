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
    private(set) var scenarioStates: [String: Bool] = [:]
    var reconciliation: TelemetryLifecycleService.ReconciliationResult?
    var clientRecord: TelemetryClientRecord?
    var isRestorationInProgress = false
    var isProcessingCommands = false

    func show(_ status: Status, _ message: String?) {
        if statusMessage != message { statusMessage = message }
        let honest = status == .enabled && !settings.telemetrySendingEnabled ? .syncing : status
        if self.status != honest { self.status = honest }
    }

    func show(_ settings: TelemetrySettings) {
        if !settings.telemetrySendingEnabled, status == .enabled { status = .syncing }
        if self.settings != settings || self.settings.obligations != settings.obligations { self.settings = settings }
    }

    func show(_ scenarioStates: [String: Bool]) {
        if self.scenarioStates != scenarioStates { self.scenarioStates = scenarioStates }
    }
}
