import TelemetryLogging
import TelemetryModels

/// Does what triggers demand.
///
/// Not as an operation of the service: those wait for the store, and a trigger acts within a second also while the store cannot be
/// reached. Only the scenario's record is updated by an operation.
@MainActor
final class TriggerController {
    private let scenarios: ScenarioController
    private let consent: ConsentController
    private let operations: ServiceOperations
    private let context: LifecycleContext
    private let queue: SerialQueue

    init(
        scenarios: ScenarioController, consent: ConsentController, operations: ServiceOperations, context: LifecycleContext
    ) {
        self.scenarios = scenarios
        self.consent = consent
        self.operations = operations
        self.context = context
        queue = SerialQueue(executor: context.configuration.executor)
    }

    /// Follows the triggers of the rules that the registry knows.
    func follow() {
        let executor = context.configuration.executor
        scenarios.registry.onFiring = { [weak self] firing in
            Task(executorPreference: executor) { await self?.enqueue(firing) }
        }
    }

    private func enqueue(_ firing: TriggerFiring) { queue.enqueue { await self.act(firing) } }

    private var isActive: Bool {
        !context.state.isShutDown && consent.settings.telemetrySendingEnabled && scenarios.registry.pause.isEmpty
    }

    private func act(_ firing: TriggerFiring) async {
        // What was true when the events were read may have changed.
        guard isActive, let rule = scenarios.registry.rule(of: firing.trigger) else { return }
        let name = rule.scenarioName
        var captured: Int?
        switch firing.trigger.trigger.action {
        case .capture(let lookback):
            captured = await consent.gate.inTurn { await $0.dumpRecorded(name, lookback: lookback) }
            guard captured != nil else { return }
        case .enable(let lease):
            guard await scenarios.registry.enable(by: rule, lease: lease) else { return }
            operations.enqueue { await self.scenarios.updateRecords(of: [name]) }
        }
        context.state.show(actionOf: firing.trigger, at: context.date)
        await consent.gate.logger.reportAction(firing, captured: captured)
    }
}
