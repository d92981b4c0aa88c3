import Foundation
import Observation
package import TelemetryLifecycle
import TelemetryModels

/// The view's model: runs the user's requests as operations of the service, one task each, and keeps failures for display.
@MainActor
@Observable
package final class TelemetryToggleModel {
    /// What the user can switch.
    private enum Choice: Hashable {
        case consent, pause
        case scenario(String)
        case permission(String)
    }

    private let lifecycle: TelemetryLifecycleService
    /// A description of the last operation's failure; nil if it succeeded.
    package private(set) var failure: String?
    /// The user's choices that the service has not completed yet, with their operations. They are displayed meanwhile, so that
    /// the user can change them before the operations end.
    private var pending: [Choice: (value: Bool, operation: Int)] = [:]
    @ObservationIgnored private var tasks: [Int: Task<Void, Never>] = [:]
    @ObservationIgnored private var nextTask = 0

    package init(lifecycle: TelemetryLifecycleService) { self.lifecycle = lifecycle }

    /// Whether the user requested telemetry. Setting it opts in or out.
    package var isRequested: Bool {
        get { pending[.consent]?.value ?? lifecycle.settings.telemetryRequested }
        set {
            choose(.consent, newValue, insteadOf: isRequested) { lifecycle in
                if newValue { await lifecycle.enableTelemetry() } else { await lifecycle.disableTelemetry() }
            }
        }
    }

    /// Whether telemetry is paused. Setting it to false ends a viewer's pause, too.
    package var isPaused: Bool {
        get { pending[.pause]?.value ?? lifecycle.isPaused }
        set {
            choose(.pause, newValue, insteadOf: isPaused) { lifecycle in
                if newValue { await lifecycle.pauseTelemetry() } else { await lifecycle.resumeTelemetry() }
            }
        }
    }

    /// Whether only a viewer paused telemetry.
    package var isPausedByViewer: Bool {
        let overview = lifecycle.overview
        return overview.isPausedByViewer && !overview.isPausedByHost
    }

    /// How the status is shown.
    package var status: TelemetryStatusDisplay { TelemetryStatusDisplay(lifecycle.status) }
    /// A description of the status.
    package var statusMessage: String? { lifecycle.statusMessage }
    /// The code that identifies this client to a viewer; nil if there is none.
    package var clientCode: String? { lifecycle.settings.clientIdentifier }
    /// The scenarios, sorted by name.
    package var scenarios: [TelemetryOverview.Scenario] { lifecycle.overview.scenarios }

    /// The ten newest actions of viewers, newest first.
    package var viewerActions: [TelemetryOverview.ViewerAction] { Array(lifecycle.overview.viewerActions.prefix(10)) }

    /// The number of events that were sent today, as text; nil if the logger does not count them.
    package var sentEvents: String? { lifecycle.overview.sentToday?.events.formatted() }
    /// The size of the events that were sent today, as text; nil if the logger does not count them.
    package var sentSize: String? {
        lifecycle.overview.sentToday.map { Int64(clamping: $0.bytes).formatted(.byteCount(style: .file)) }
    }

    /// Whether a scenario is enabled. Setting it overrides the viewer.
    package subscript(scenario name: String) -> Bool {
        get { pending[.scenario(name)]?.value ?? lifecycle.scenarioStates[name] ?? false }
        set {
            choose(.scenario(name), newValue, insteadOf: self[scenario: name]) {
                try await $0.setScenarioEnabled(name, enabled: newValue)
            }
        }
    }

    /// Whether the user allows a scenario. Setting it to false turns the scenario off, whoever turned it on.
    package subscript(allowed name: String) -> Bool {
        get { pending[.permission(name)]?.value ?? !lifecycle.deniedScenarios.contains(name) }
        set {
            choose(.permission(name), newValue, insteadOf: self[allowed: name]) {
                await $0.setScenarioAllowed(name, allowed: newValue)
            }
        }
    }

    package func endSession() { perform { try await $0.endSession() } }

    package func reconcile() { perform { await $0.reconcile() } }

    /// Starts the service. Has no effect if the host already started it.
    package func start() async { await lifecycle.startup() }

    /// Returns when all requested operations are done.
    package func finished() async { while let task = tasks.values.first { await task.value } }

    private func choose(
        _ choice: Choice, _ value: Bool, insteadOf current: Bool,
        _ operation: @escaping @MainActor (TelemetryLifecycleService) async throws -> Void
    ) {
        if value != current { pending[choice] = (value, perform(operation)) }
    }

    @discardableResult
    private func perform(_ operation: @escaping @MainActor (TelemetryLifecycleService) async throws -> Void) -> Int {
        let id = nextTask
        nextTask += 1
        failure = nil
        tasks[id] = Task { [weak self, lifecycle] in
            var failure: String?
            do { try await operation(lifecycle) } catch { failure = error.localizedDescription }
            self?.done(id, failure)
        }
        return id
    }

    private func done(_ id: Int, _ failure: String?) {
        tasks[id] = nil
        pending = pending.filter { $0.value.operation != id }
        if let failure { self.failure = failure }
    }
}
