import Foundation
import Observation
package import TelemetryLifecycle
import TelemetryModels

/// The view's model: runs the person's requests as operations of the service, one task each, and keeps failures for display.
@MainActor
@Observable
package final class TelemetryToggleModel {
    private let lifecycle: TelemetryLifecycleService
    /// A description of the last operation's failure; nil if it succeeded.
    package private(set) var failure: String?
    /// The person's decision that the service has not completed yet, with its operation. It is displayed meanwhile, so that the
    /// person can change it before the operation ends.
    private var consent: (wish: Bool, operation: Int)?
    private var overrides: [String: (wish: Bool, operation: Int)] = [:]
    @ObservationIgnored private var tasks: [Int: Task<Void, Never>] = [:]
    @ObservationIgnored private var nextTask = 0

    package init(lifecycle: TelemetryLifecycleService) { self.lifecycle = lifecycle }

    /// Whether the person requested telemetry. Setting it opts in or out.
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
    /// A description of the status.
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

    /// Starts the service. Has no effect if the host already started it.
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
