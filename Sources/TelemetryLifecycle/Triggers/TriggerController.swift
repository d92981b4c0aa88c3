import TelemetryLogging
import TelemetryModels

/// Does what triggers demand.
///
/// Runs outside the service's operations, which wait for the store: a trigger acts within a second even while the store cannot be
/// reached. Only the scenario's record is updated by an operation.
@MainActor
final class TriggerController {
    private let scenarios: ScenarioController
    private let consent: ConsentController
    private let operations: ServiceOperations
    private let context: LifecycleContext
    private let queue: SerialQueue
    private var waiting: Set<Demand> = []

    private struct Demand: Hashable {
        let trigger: EventTrigger
        let clientId: String?
    }

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
        let demand = Demand(trigger: firing.trigger, clientId: firing.clientId)
        guard waiting.insert(demand).inserted else { return }
        queue.enqueue {
            self.waiting.remove(demand)
            await self.act(firing)
        }
    }

    /// The rule that demands it, if it still applies. What was true when the events were read may have changed.
    private func rule(of firing: TriggerFiring) -> TelemetryRuleRecord? {
        let isAllowed =
            !context.state.isShutDown && consent.settings.telemetrySendingEnabled && scenarios.registry.pause.isEmpty
            && consent.settings.clientIdentifier == firing.clientId
        return isAllowed ? scenarios.registry.rule(of: firing.trigger) : nil
    }

    private func act(_ firing: TriggerFiring) async {
        guard let rule = rule(of: firing) else { return }
        switch firing.trigger.trigger.action {
        case .capture(let lookback):
            let isDone = await consent.gate.inTurn { logger in
                guard self.rule(of: firing) != nil,
                    let count = await logger.dumpRecorded(rule.scenarioName, lookback: lookback)
                else { return false }
                await logger.reportAction(firing, captured: count)
                return true
            }
            guard isDone else { return }
            context.state.show(executed: [.init(.captureScenario, by: rule, at: context.date)], of: firing.clientId)
        case .enable(let lease):
            guard await scenarios.registry.enable(by: rule, lease: lease) else { return }
            operations.enqueue { await self.scenarios.updateRecords(of: [rule.scenarioName]) }
            await consent.gate.inTurn { logger in
                if self.rule(of: firing) != nil { await logger.reportAction(firing, captured: nil) }
            }
        }
        context.state.show(actionOf: firing.trigger, at: context.date)
    }
}
