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
    private var waiting: Set<EventTrigger> = []

    init(
        scenarios: ScenarioController, consent: ConsentController, operations: ServiceOperations, context: LifecycleContext
    ) {
        self.scenarios = scenarios
        self.consent = consent
        self.operations = operations
        self.context = context
        queue = SerialQueue(executor: context.configuration.executor)
    }

    /// Acts on the triggers of the rules that the registry knows.
    func start() {
        let executor = context.configuration.executor
        scenarios.registry.onFiring = { [weak self] firing in
            Task(executorPreference: executor) { await self?.enqueue(firing) }
        }
    }

    /// What a trigger demands again while it waits is done once.
    private func enqueue(_ firing: TriggerFiring) {
        guard waiting.insert(firing.trigger).inserted else { return }
        queue.enqueue {
            self.waiting.remove(firing.trigger)
            await self.act(firing)
        }
    }

    private func isAllowed(_ firing: TriggerFiring) -> Bool {
        !context.state.isShutDown && consent.settings.telemetrySendingEnabled && scenarios.registry.pause.isEmpty
            && consent.settings.clientIdentifier == firing.clientId
    }

    private func act(_ firing: TriggerFiring) async {
        // What was true when the events were read may have changed.
        guard isAllowed(firing), let rule = scenarios.registry.rule(of: firing.trigger) else { return }
        let name = rule.scenarioName
        var captured: Int?
        switch firing.trigger.trigger.action {
        case .capture(let lookback):
            captured = await consent.gate.inTurn { logger in
                // The client may have changed meanwhile.
                self.isAllowed(firing) ? await logger.dumpRecorded(name, lookback: lookback) : nil
            }
            guard captured != nil else { return }
            context.state.show(executed: [.init(.captureScenario, by: rule, at: context.date)], of: firing.clientId)
        case .enable(let lease):
            guard await scenarios.registry.enable(by: rule, lease: lease) else { return }
            operations.enqueue { await self.scenarios.updateRecords(of: [name]) }
        }
        context.state.show(actionOf: firing.trigger, at: context.date)
        await consent.gate.logger.reportAction(firing, captured: captured)
    }
}
