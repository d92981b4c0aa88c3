import Foundation
import Observation
package import TelemetryLifecycle
import TelemetryModels

/// What stands between the view and the service: the person's wishes become operations, one task each, and what failed is kept
/// to be shown.
@MainActor
@Observable
package final class TelemetryToggleModel {
    private let lifecycle: TelemetryLifecycleService
    /// Why the last operation failed, in words; nil where it did not.
    package private(set) var failure: String?
    /// What the person decided and the service has not done yet, with the operation that does it: shown meanwhile, so that
    /// who changes their mind before the service has answered is heard.
    private var consent: (wish: Bool, operation: Int)?
    private var overrides: [String: (wish: Bool, operation: Int)] = [:]
    @ObservationIgnored private var tasks: [Int: Task<Void, Never>] = [:]
    @ObservationIgnored private var nextTask = 0

    package init(lifecycle: TelemetryLifecycleService) { self.lifecycle = lifecycle }

    /// Whether the person asked for telemetry. Setting it opts in or out.
    package var isRequested: Bool {
        get { consent?.wish ?? lifecycle.settings.telemetryRequested }
        set {
            guard newValue != isRequested else { return }
            let operation = perform { lifecycle in
                if newValue { await lifecycle.enableTelemetry() } else { await lifecycle.disableTelemetry() }
            }
            consent = (newValue, operation)
        }
    }

    /// How the status is shown.
    package var status: TelemetryStatusDisplay { TelemetryStatusDisplay(lifecycle.status) }
    /// More about the status, in words.
    package var statusMessage: String? { lifecycle.statusMessage }
    /// The code that identifies this client to a viewer; nil if there is none.
    package var clientCode: String? { lifecycle.settings.clientIdentifier }
    /// The scenarios by name, sorted.
    package var scenarios: [String] { lifecycle.scenarioStates.keys.sorted() }

    /// Whether a scenario is enabled. Setting it overrides the viewer.
    package subscript(scenario name: String) -> Bool {
        get { overrides[name]?.wish ?? lifecycle.scenarioStates[name] ?? false }
        set {
            guard newValue != self[scenario: name] else { return }
            let operation = perform { try await $0.setScenarioEnabled(name, enabled: newValue) }
            overrides[name] = (newValue, operation)
        }
    }

    package func endSession() { perform { try await $0.endSession() } }

    package func reconcile() { perform { await $0.reconcile() } }

    /// Starts the service; harmless where the host did so already.
    package func start() async { await lifecycle.startup() }

    /// Returns when all requested operations are done.
    package func finished() async { while let task = tasks.values.first { await task.value } }

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
        if consent?.operation == id { consent = nil }
        overrides = overrides.filter { $0.value.operation != id }
        if let failure { self.failure = failure }
    }
}
