import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parts of a service, wired to each other: what holds consent, what acts on it, and what runs the operations.
@MainActor
struct LifecycleParts {
    let context: LifecycleContext
    let operations: ServiceOperations
    let consent: ConsentController
    let scenarios: ScenarioController
    let triggers: TriggerController
    let commands: CommandController
    let synchronizer: Synchronizer
    /// The directory of this instance's files in the platform's default stores; nil if the instance has none of its own.
    let instance: InstanceDirectory?

    init(
        state: LifecycleState, configuration: TelemetryLifecycleService.Configuration, transport: any TelemetryTransporting,
        identifiers: any TelemetryIdentifierGenerating, logger: any ControlledLogger, stores: ConsentStores,
        scenarioStore: any TelemetryScenarioStoring, coordinator: TelemetrySettingsSyncCoordinator?,
        subscriptions: any TelemetrySubscriptionManaging, spoolDirectory: URL?, instance: InstanceDirectory?
    ) {
        let calls = BoundedCalls(executor: configuration.executor)
        context = LifecycleContext(
            state: state, configuration: configuration, transport: BoundedTransport(base: transport, calls: calls))
        self.instance = instance
        operations = ServiceOperations(context: context)
        consent = ConsentController(
            stores: stores, marker: spoolDirectory.map { OptOutMarker(directory: $0, name: "opted-out") },
            gate: LoggerGate(logger, executor: configuration.executor), coordinator: coordinator, context: context)
        let registry = ScenarioRegistry(
            store: scenarioStore, logger: logger, configuration: configuration, state: state)
        let deletions = PendingDeletions(consent: consent, context: context, scenarios: registry)
        let client = ClientMirror(consent: consent, context: context)
        scenarios = ScenarioController(
            registry: registry, consent: consent, client: client, deletions: deletions, context: context)
        triggers = TriggerController(scenarios: scenarios, consent: consent, operations: operations, context: context)
        commands = CommandController(
            consent: consent, scenarios: scenarios, context: context, subscriptions: subscriptions)
        synchronizer = Synchronizer(
            consent: consent, scenarios: scenarios, commands: commands, client: client, deletions: deletions,
            identifiers: identifiers, operations: operations, context: context)
        wire(logger, calls)
    }

    /// Sets the closures by which a part calls one that was created after it.
    private func wire(_ logger: any ControlledLogger, _ calls: BoundedCalls) {
        commands.disable = { [weak synchronizer] clientId, command in
            await synchronizer?.disable(clientId, reason: .serverDisabledLocalEnabled, command: command)
        }
        operations.prepare = { [consent, scenarios, weak synchronizer] in
            await consent.load()
            await scenarios.load()
            await synchronizer?.cleanUpAfterDeparture()
        }
        operations.conclude = { [consent, weak synchronizer] backsUp in
            if backsUp { await consent.backUp() }
            await consent.endUses()
            synchronizer?.watch()
        }
        calls.onStraggler { [weak synchronizer] in await synchronizer?.handleStraggler($0, hasFailed: $1) }
        // The logger checks the shared settings before each delivery, because another process may end the consent at any time.
        logger.setConsentCheck(
            TelemetryConsentCheck(isGranted: consent.consentCheck) { [weak consent, weak synchronizer] in
                await consent?.closeGate()
                await synchronizer?.refresh(.everything)
            })
        scenarios.applyBudget()
        triggers.start()
    }

    /// Ends background work, waits for the operations that were called before and shuts the logger down, all within one time
    /// limit.
    ///
    /// Work that does not end in time continues, owned by the queue, and is not awaited.
    func shutDown() async {
        let (clock, limit) = (context.configuration.clock, context.configuration.operationTimeout.bounded)
        context.state.isShutDown = true
        consent.gate.logger.beginShutdown()
        // The other half of the time is for the logger, to deliver waiting events.
        operations.end(by: Deadline(in: limit / 2, on: clock))
        synchronizer.watch()
        let deadline = Deadline(in: limit, on: clock)
        let shutdown = BoundedCalls(executor: context.configuration.executor)
        shutdown.begin(deadline)
        _ = try? await shutdown.call(.nothing) { await self.finish(by: deadline) }
        shutdown.begin(nil)
        context.state.end()
        // The next service in this process can take the same instance.
        instance?.release()
    }

    private func finish(by deadline: Deadline) async {
        let (logger, calls) = (consent.gate.logger, context.calls)
        await operations.inTurn(deadline) {
            context.state.end()
            // In the queue, because the end of another operation would remove its time limit. The logger still has to refuse
            // events if the time is up.
            calls.begin(deadline.hasPassed() ? nil : deadline)
            _ = try? await calls.call(.nothing) { await logger.shutdown() }
            calls.begin(nil)
        }
        await synchronizer.endBackground()
    }
}
