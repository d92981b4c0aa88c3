import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The service's implementation: its collaborators, and the queue that serializes its operations.
///
/// The operations, in extensions, run one at a time inside ``operation(_:)`` or ``inBackground(_:)`` and call each other
/// directly: the handlers of a viewer's commands run within the operation that fetched the commands.
@MainActor
final class LifecycleEngine {
    let state: LifecycleState
    let configuration: TelemetryLifecycleService.Configuration
    let keeper: SettingsKeeper
    let transport: BoundedTransport
    let identifiers: any TelemetryIdentifierGenerating
    let logger: LoggerSwitch
    let scenarios: ScenarioRegistry
    let subscriptions: any TelemetrySubscriptionManaging
    let coordinator: TelemetrySettingsSyncCoordinator?
    /// The directory of this instance's files in the platform's default stores; nil if the instance has none of its own.
    let instance: InstanceDirectory?
    private let queue: SerialQueue

    /// The current client and the runner of its commands.
    var commands: (clientId: String, runner: CommandRunner)?
    private(set) lazy var background = makeBackground()
    var hasStarted = false
    /// The requested refresh that no operation has begun yet.
    private var wanted: RefreshScope?
    /// Whether a notification arrived before startup and is handled then.
    var isNotificationKept = false
    /// Called when receiving commands starts and stops.
    var onCommandProcessing: (@MainActor (Bool) -> Void)?
    private(set) var isShutDown = false
    /// The deadline of the operations that were called before a shutdown.
    private var endOfOperations: Deadline?
    /// Whether an abandoned call has failed since the last refresh and may still have changed something.
    var isInDoubt = false
    /// The client whose data this process last stored or recorded, until the deletion of that data is pending.
    var ownClient: String?
    /// When the client's presence is written to its record.
    var presence: PresenceSchedule
    /// The timer for the first scenario that expires.
    var leaseTimer: (end: Date, task: OwnedTask)?
    private var waitingOptOuts = 0
    /// The deadline of operations that were called before an opt-out.
    private var gracePeriod: Deadline?
    /// The deadlines of the operations that wait, in the order of their calls.
    private var waiting: [Deadline] = []

    init(
        state: LifecycleState, settingsStore: any TelemetrySettingsStoring, transport: any TelemetryTransporting,
        identifiers: any TelemetryIdentifierGenerating, configuration: TelemetryLifecycleService.Configuration,
        logger: any ControlledLogger, coordinator: TelemetrySettingsSyncCoordinator?,
        subscriptions: (any TelemetrySubscriptionManaging)?, scenarioStore: any TelemetryScenarioStoring,
        pendingWorkStore: any TelemetryPendingWorkStoring, spoolDirectory: URL?, instance: InstanceDirectory? = nil
    ) {
        let calls = BoundedCalls(executor: configuration.executor)
        self.state = state
        self.configuration = configuration
        presence = PresenceSchedule(interval: configuration.reconcileInterval)
        self.transport = BoundedTransport(base: transport, calls: calls)
        self.identifiers = identifiers
        self.coordinator = coordinator
        self.instance = instance
        self.logger = LoggerSwitch(logger, executor: configuration.executor)
        self.subscriptions = subscriptions ?? TelemetrySubscriptionManager(transport: transport)
        queue = SerialQueue(executor: configuration.executor)
        keeper = SettingsKeeper(
            stores: LocalStateStore(
                settings: settingsStore, work: pendingWorkStore, instance: instance),
            marker: spoolDirectory.map { OptOutMarker(directory: $0, name: "opted-out") }, coordinator: coordinator,
            calls: calls, executor: configuration.executor, report: configuration.diagnostics
        ) { state.show($0) }
        scenarios = ScenarioRegistry(
            store: scenarioStore, logger: logger, configuration: configuration, state: state)
        calls.onStraggler { [weak self] in await self?.handleStraggler($0, hasFailed: $1) }
    }

    var calls: BoundedCalls { transport.calls }
    var settings: TelemetrySettings { keeper.settings }
    var work: TelemetryPendingWork { keeper.work }
    var registration: ClientRegistration { ClientRegistration(transport: transport) }
    var mirror: ScenarioMirror { ScenarioMirror(transport: transport, now: configuration.date) }

    /// Enqueues a host's operation. It ends, successfully or not, within the timeout, counted from this call.
    /// - Parameter backsUp: Whether a pending backup is made before the operation ends.
    func operation<Value: Sendable>(
        backsUp: Bool = true, _ body: @escaping @MainActor (LifecycleEngine) async -> Value
    ) async -> Value {
        let deadline = Deadline(in: configuration.operationTimeout, on: configuration.clock)
        return await inTurn(deadline) { await self.run(body, backsUp: backsUp, until: deadline) }
    }

    /// Opts out. The call itself stops recording and enqueues the change of the settings, ahead of all earlier operations. The
    /// body runs in its turn; the operations before it are limited to the grace period.
    func optOut(_ body: @escaping @MainActor (LifecycleEngine) async -> TelemetrySettings) async -> TelemetrySettings {
        let deadline = Deadline(in: configuration.operationTimeout, on: configuration.clock)
        logger.withdraw()
        keeper.optOut(clients: [ownClient].compactMap(\.self)) { [logger] in logger.settle() }
        let gracePeriod = gracePeriod ?? Deadline(in: configuration.optOutGracePeriod, on: configuration.clock)
        self.gracePeriod = gracePeriod
        calls.shortenDeadline(to: gracePeriod)
        waitingOptOuts += 1
        return await inTurn(deadline) {
            self.waitingOptOuts -= 1
            if self.waitingOptOuts == 0 { self.gracePeriod = nil }
            return await self.run(body, until: deadline)
        }
    }

    func inTurn<Value: Sendable>(
        _ deadline: Deadline, _ body: @escaping @MainActor () async -> Value
    ) async -> Value {
        waiting.append(deadline)
        return await queue.perform {
            self.waiting.removeFirst()
            return await body()
        }
    }

    /// Enqueues an operation that no caller waits for. Its time limit starts when it runs; if another operation waits, that one's
    /// deadline applies.
    func inBackground(backsUp: Bool = true, _ body: @escaping @MainActor (LifecycleEngine) async -> Void) {
        queue.enqueue {
            let own = Deadline(in: self.configuration.operationTimeout, on: self.configuration.clock)
            await self.run(body, backsUp: backsUp, until: self.waiting.first ?? own)
        }
    }

    private func makeBackground() -> BackgroundWork {
        let policy = BackgroundWork.PollingPolicy(
            interval: configuration.reconcileInterval?.bounded, retryInterval: configuration.retryInterval,
            pause: configuration.notificationPause, clock: configuration.clock,
            random: configuration.random, executor: configuration.executor)
        return BackgroundWork(
            policy, filter: { [weak self] in await self?.scope(of: $0) }, look: { [weak self] in self?.refresh($0) })
    }

    private func run<Value: Sendable>(
        _ body: @MainActor (LifecycleEngine) async -> Value, backsUp: Bool = true, until deadline: Deadline
    ) async -> Value {
        calls.begin(deadline)
        if let endOfOperations { calls.shortenDeadline(to: endOfOperations) }
        if let gracePeriod { calls.shortenDeadline(to: gracePeriod) }
        await keeper.load()
        await scenarios.load()
        await applyPause()
        await cleanUpAfterDeparture()
        let value = await body(self)
        if backsUp { await keeper.backUp() }
        await endUses()
        await applyPause()
        watch()
        watchLeases()
        calls.begin(nil)
        return value
    }

    /// Starts or stops background work: while telemetry is requested, following notifications and polling; otherwise only
    /// retrying pending work.
    func watch() {
        let isWanted = hasStarted && settings.telemetryRequested && !isShutDown
        if isWanted != background.isFollowing { background.follow(isWanted ? transport.base.notifications() : nil) }
        guard hasStarted, !isShutDown, isWanted || keeper.hasPendingWork else { return background.tick(.never) }
        var needsRetry = isInDoubt || keeper.hasPendingWork
        if case .error = state.status { needsRetry = true }
        background.tick(needsRetry ? .soon : .usually)
    }

    /// Refreshes in a separate operation, which requests share until it starts.
    func refresh(_ scope: RefreshScope) {
        guard !isShutDown else { return }
        let isQueued = wanted != nil
        wanted = max(wanted ?? scope, scope)
        guard !isQueued else { return }
        inBackground { engine in await engine.runPendingRefresh() }
    }

    private func runPendingRefresh() async {
        guard let scope = wanted else { return }
        wanted = nil
        await look(scope)
    }

    func look(_ scope: RefreshScope) async {
        switch scope {
        case .commands: await runCommands()
        case .rules:
            await runCommands()
            await followRules(mirrors: true)
        case .everything: _ = await reconcile(isQuiet: true)
        }
    }

    /// Handles an abandoned call that has returned: it may have undone later changes.
    private func handleStraggler(_ effect: BoundedCalls.Effect, hasFailed: Bool) {
        guard !isShutDown else { return }
        if effect == .backup { inBackground(backsUp: !hasFailed) { engine in await engine.keeper.markBackupOutdated() } }
        guard hasFailed else { return refresh(.everything) }
        // Not at once: a store that hangs until it is cancelled would be called without a pause and block other operations.
        isInDoubt = true
        watch()
    }

    func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        configuration.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }

    /// Stops background work, and sets the deadline at which earlier operations are abandoned.
    func beginShutdown(operationsUntil deadline: Deadline) {
        isShutDown = true
        logger.logger.beginShutdown()
        endOfOperations = deadline
        calls.cancelAll()
        calls.shortenDeadline(to: deadline)
        watch()
    }
}
