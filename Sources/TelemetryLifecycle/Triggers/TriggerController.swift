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

    /// A demand that comes again while it waits is acted on once for each client.
    private func enqueue(_ firing: TriggerFiring) {
        let demand = Demand(trigger: firing.trigger, clientId: firing.clientId)
        guard waiting.insert(demand).inserted else { return }
        queue.enqueue {
            self.waiting.remove(demand)
            await self.act(firing)
        }
    }

    /// The firing's rule; nil if it no longer applies, telemetry is off or paused, or the client has changed.
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
            await consent.gate.inTurn { logger in
                guard self.rule(of: firing) != nil,
                    let count = await logger.dumpRecorded(rule.scenarioName, lookback: lookback)
                else { return }
                self.context.state.show(
                    executed: [.init(.captureScenario, by: rule, at: self.context.date)], of: firing.clientId)
                await self.report(firing, captured: count)
            }
        case .enable(let lease):
            guard await scenarios.registry.enable(by: rule, lease: lease) else { return }
            operations.enqueue { await self.scenarios.updateRecords(of: [rule.scenarioName]) }
            await report(firing, captured: nil)
        }
    }

    private func report(_ firing: TriggerFiring, captured: Int?) async {
        // The client may have changed meanwhile.
        guard consent.settings.clientIdentifier == firing.clientId else { return }
        context.state.show(actionOf: firing.trigger, at: context.date)
        await consent.gate.logger.reportAction(firing, captured: captured)
    }
}
