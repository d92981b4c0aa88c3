import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the service does: its collaborators, and the queue that keeps its operations apart.
///
/// The operations, in extensions, run one at a time, inside ``operation(_:)`` or ``inBackground(_:)``, and call each other
/// directly: the handlers of a viewer's commands are parts of the operation that found the commands.
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
    /// Where the platform's default stores keep this instance's files; nil where they keep none for it alone.
    let instance: InstanceDirectory?
    private let queue: SerialQueue

    /// What runs the commands of the client that is set up.
    var commands: (clientId: String, runner: CommandRunner)?
    private(set) lazy var background = makeBackground()
    var hasStarted = false
    /// What a notification asked to look at, until an operation does.
    private var wanted: RefreshScope?
    /// A notification came before startup and is handled then.
    var isNotificationKept = false
    /// Called when commands begin and cease to be received.
    var onCommandProcessing: (@MainActor (Bool) -> Void)?
    private(set) var isShutDown = false
    /// When what was asked for before a shutdown is to be done.
    private var endOfOperations: Deadline?
    /// A call that was given up has failed since the last look, and may have changed something all the same.
    var isInDoubt = false
    /// The client that this process last used at the store or recorded events of, until the deletion of what it has there is pending.
    var ownClient: String?
    /// Wakes when the first scenario ends by itself.
    var leaseTimer: (end: Date, task: OwnedTask)?
    private var waitingOptOuts = 0
    /// When operations that were called before an opt-out have to be done.
    private var gracePeriod: Deadline?
    /// When those whose turn has not come are to be done, in the order of their calls.
    private var waiting: [Deadline] = []

    init(
        state: LifecycleState, settingsStore: any TelemetrySettingsStoring, transport: any TelemetryTransporting,
        identifiers: any TelemetryIdentifierGenerating, configuration: TelemetryLifecycleService.Configuration,
        logger: any TelemetryLogging, coordinator: TelemetrySettingsSyncCoordinator?,
        subscriptions: (any TelemetrySubscriptionManaging)?, scenarioStore: any TelemetryScenarioStoring,
        pendingWorkStore: any TelemetryPendingWorkStoring, spoolDirectory: URL?, instance: InstanceDirectory? = nil
    ) {
        let calls = BoundedCalls(executor: configuration.executor)
        self.state = state
        self.configuration = configuration
        self.transport = BoundedTransport(base: transport, calls: calls)
        self.identifiers = identifiers
        self.coordinator = coordinator
        self.instance = instance
        self.logger = LoggerSwitch(logger, executor: configuration.executor)
        self.subscriptions = subscriptions ?? TelemetrySubscriptionManager(transport: transport)
        queue = SerialQueue(executor: configuration.executor)
        keeper = SettingsKeeper(
            stores: LocalStateStore(
                settings: settingsStore, work: pendingWorkStore, note: Version1Note(store: scenarioStore), instance: instance),
            marker: spoolDirectory.map { OptOutMarker(directory: $0, name: "opted-out") }, coordinator: coordinator,
            calls: calls, executor: configuration.executor, report: configuration.diagnostics
        ) { state.show($0) }
        scenarios = ScenarioRegistry(
            store: scenarioStore, logger: logger, configuration: configuration, state: state)
        calls.onStraggler { [weak self] in await self?.doubt($0, hasFailed: $1) }
    }

    var calls: BoundedCalls { transport.calls }
    var settings: TelemetrySettings { keeper.settings }
    var work: TelemetryPendingWork { keeper.work }
    var registration: ClientRegistration { ClientRegistration(transport: transport, now: configuration.date) }
    var mirror: ScenarioMirror { ScenarioMirror(transport: transport, now: configuration.date) }

    /// Runs a host's operation when its turn comes; it is done, one way or the other, within the timeout from now.
    /// - Parameter backsUp: Whether a pending backup is made before the operation ends.
    func operation<Value: Sendable>(
        backsUp: Bool = true, _ body: @escaping @MainActor (LifecycleEngine) async -> Value
    ) async -> Value {
        let deadline = Deadline(in: configuration.operationTimeout, on: configuration.clock)
        return await inTurn(deadline) { await self.run(body, backsUp: backsUp, until: deadline) }
    }

    /// The host's opt-out. On the call itself recording ends and the opt-out is on its way into the settings, before anything
    /// that was asked for earlier goes on. The body follows in its turn; all that comes before it gets little time from now on.
    func optOut(_ body: @escaping @MainActor (LifecycleEngine) async -> TelemetrySettings) async -> TelemetrySettings {
        let deadline = Deadline(in: configuration.operationTimeout, on: configuration.clock)
        logger.withdraw()
        keeper.optOut(clients: [ownClient].compactMap(\.self)) { [logger] in logger.settle() }
        let gracePeriod = gracePeriod ?? Deadline(in: configuration.optOutGracePeriod, on: configuration.clock)
        self.gracePeriod = gracePeriod
        calls.hurry(gracePeriod)
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

    /// Runs an operation that nobody waits for when its turn comes; its time counts from then, and ends with the time of the
    /// first who waits behind it.
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
        if let endOfOperations { calls.hurry(endOfOperations) }
        if let gracePeriod { calls.hurry(gracePeriod) }
        await keeper.load()
        await scenarios.load()
        await applyPause()
        await noticeDeparture()
        let value = await body(self)
        if backsUp { await keeper.backUp() }
        await endUses()
        await applyPause()
        watch()
        watchLeases()
        calls.begin(nil)
        return value
    }

    /// Goes on by itself as far as there is reason to: all of it while telemetry is requested, otherwise nothing but trying
    /// again what is pending.
    func watch() {
        let isWanted = hasStarted && settings.telemetryRequested && !isShutDown
        if isWanted != background.isFollowing { background.follow(isWanted ? transport.base.notifications() : nil) }
        guard hasStarted, !isShutDown, isWanted || keeper.hasPendingWork else { return background.tick(.never) }
        var isTroubled = isInDoubt || keeper.hasPendingWork
        if case .error = state.status { isTroubled = true }
        background.tick(isTroubled ? .soon : .usually)
    }

    /// Looks again, in an operation of its own; requests that meet before it begins share it.
    func refresh(_ scope: RefreshScope) {
        guard !isShutDown else { return }
        let isQueued = wanted != nil
        wanted = max(wanted ?? scope, scope)
        guard !isQueued else { return }
        inBackground { engine in await engine.lookAgain() }
    }

    private func lookAgain() async {
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

    /// A call that was given up has returned: it may have undone what was done since.
    private func doubt(_ effect: BoundedCalls.Effect, hasFailed: Bool) {
        guard !isShutDown else { return }
        if effect == .backup { inBackground(backsUp: !hasFailed) { engine in await engine.keeper.doubtBackup() } }
        guard hasFailed else { return refresh(.everything) }
        // Not at once: a store that hangs until it is cancelled would be asked without a pause, and hold up everybody else.
        isInDoubt = true
        watch()
    }

    func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        configuration.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }

    /// Nothing begins by itself any more, and what was asked for is given up at the deadline.
    func beginShutdown(operationsUntil deadline: Deadline) {
        isShutDown = true
        endOfOperations = deadline
        calls.cancelAll()
        calls.hurry(deadline)
        watch()
    }
}
