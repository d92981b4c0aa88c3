import Foundation
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Makes the local state and the store agree, on request and in the background.
@MainActor
final class Synchronizer {
    typealias Result = TelemetryLifecycleService.ReconciliationResult

    let consent: ConsentController
    let scenarios: ScenarioController
    let commands: CommandController
    let deletions: PendingDeletions
    let context: LifecycleContext
    private let client: ClientMirror
    private let identifiers: any TelemetryIdentifierGenerating
    private let operations: ServiceOperations
    private lazy var background = makeBackground()
    private lazy var leases = LeaseTimer(context.configuration) { [weak self] in self?.endExpiredLeases() }
    /// The requested refresh that no operation has begun yet.
    private var wanted: RefreshScope?
    /// Whether a notification arrived before startup and is handled then.
    private var isNotificationKept = false

    init(
        consent: ConsentController, scenarios: ScenarioController, commands: CommandController, client: ClientMirror,
        deletions: PendingDeletions, identifiers: any TelemetryIdentifierGenerating, operations: ServiceOperations,
        context: LifecycleContext
    ) {
        self.consent = consent
        self.scenarios = scenarios
        self.commands = commands
        self.client = client
        self.deletions = deletions
        self.identifiers = identifiers
        self.operations = operations
        self.context = context
    }

    var state: LifecycleState { context.state }
    var settings: TelemetrySettings { consent.settings }

    // MARK: Startup

    /// Starts with the stored settings. If telemetry is requested or work is pending, the rest of the startup follows in a
    /// separate operation.
    func startUp() async {
        guard !state.hasStarted else { return }
        state.hasStarted = true
        guard settings.telemetryRequested || consent.hasPendingWork else {
            await consent.handle(.foundOff)
            state.reconciliation = .allDisabled
            return state.show(.disabled, nil)
        }
        state.show(.syncing, "Contacting the store.")
        state.isRestorationInProgress = true
        operations.enqueue {
            _ = await self.reconcile()
            self.state.isRestorationInProgress = false
        }
    }

    // MARK: Reconciliation

    /// - Parameters:
    ///   - isQuiet: Whether the status does not change meanwhile.
    ///   - isOptIn: Whether the user has just opted in.
    /// - Returns: The result; nil if the store could not be reached.
    func reconcile(isQuiet: Bool = false, isOptIn: Bool = false) async -> Result? {
        state.hasStarted = true
        state.needsRetry = false
        guard settings.telemetryRequested else {
            await stayOff(result: .allDisabled)
            return .allDisabled
        }
        guard !state.isShutDown else {
            // A service that was shut down does not turn the logger on or run commands.
            state.show(.idle, nil)
            return nil
        }
        if !isQuiet { state.show(.syncing, "Contacting the store.") }
        await scenarios.registry.resume()
        _ = await deletions.make(isForReturn: true)
        do {
            guard let clientId = try await identify() else { return await continueWithoutClient() }
            await context.transport.setClientIdentifier(clientId)
            let needsRegistration = consent.state.stored.needsRegistration(of: clientId)
            let record = try await client.findClient(clientId)
            guard isCurrent(clientId) else { return await continueWithoutClient() }
            await apply(
                Reconciliation.decide(
                    settings: settings, needsRegistration: consent.state.stored.needsRegistration(of: clientId),
                    serverEnabled: record?.isEnabled, isOptIn: isOptIn || needsRegistration),
                record, clientId)
        } catch {
            await keepLocalState(after: error)
            _ = await deletions.make()
            return nil
        }
        guard settings.telemetryRequested else { return state.reconciliation }
        await commands.run()
        guard settings.telemetryRequested else { return state.reconciliation }
        await scenarios.applyRules()
        await scenarios.align()
        // Last, because a hanging deletion of another client or session would leave no time for this client.
        if settings.telemetryRequested { _ = await deletions.make() }
        return state.reconciliation
    }

    /// Returns the client's identifier; nil if telemetry was turned off meanwhile. Generates one if telemetry is requested without
    /// one.
    private func identify() async throws -> String? {
        if settings.telemetryRequested, settings.clientIdentifier == nil {
            await consent.handle(.identified(client: identifiers.generateIdentifier()))
        }
        guard let clientId = settings.clientIdentifier else { return nil }
        let isLeaving = consent.work.deletions.contains {
            $0.clientId == clientId && $0.sessionEnd == nil && $0.doneAt == nil && !$0.endsOnReturn
        }
        guard !isLeaving else {
            throw TelemetryTransportError(code: .unavailable, message: "The client's earlier data is not deleted yet.")
        }
        await consent.beginUse(of: clientId)
        guard isCurrent(clientId) else { return try await identify() }
        await consent.handle(.used(client: clientId))
        return clientId
    }

    private func isCurrent(_ clientId: String) -> Bool { consent.state.stored.isCurrent(clientId) }

    /// Continues after the client changed during the reconciliation.
    func continueWithoutClient() async -> Result? {
        await cleanUpAfterDeparture()
        guard settings.telemetryRequested else {
            await stayOff(result: .allDisabled)
            return .allDisabled
        }
        // Another process has replaced the client.
        refresh(.everything)
        return state.reconciliation
    }

    private func apply(_ decision: Reconciliation, _ record: TelemetryClientRecord?, _ clientId: String) async {
        if state.clientRecord != record { state.clientRecord = record }
        switch decision.step {
        case .disable: return await disable(clientId, reason: .serverDisabledLocalEnabled)
        case .reset, .register, .stayOff: return await reset(clientId)
        case .keepOn, .turnOn: await consent.handle(.approved(client: clientId))
        case .wait: await consent.handle(.notApproved(client: clientId))
        }
        // Another process of the app may have opted out since the reconciliation began.
        guard isCurrent(clientId) else {
            _ = await continueWithoutClient()
            return
        }
        if decision.step == .wait {
            state.show(.pendingApproval, "Waiting for the viewer's approval.")
        } else {
            state.show(.enabled, nil)
        }
        state.reconciliation = decision.result
        // Before subscribing, so that a new client is not notified of its own change.
        await client.update()
        await setUp()
    }

    /// Keeps the local state, because the store cannot be reached.
    private func keepLocalState(after error: any Error) async {
        let message = "The store cannot be reached: \(error.localizedDescription)"
        context.report(.transportFailed, message)
        await consent.handle(.unreachable)
        await setUp(canReachStore: false)
        await scenarios.registry.refresh()
        state.show(.error(message), message)
    }

    /// Starts receiving commands and notifications for the client. Does nothing that is already done.
    private func setUp(canReachStore: Bool = true) async {
        guard let clientId = settings.clientIdentifier, !state.isShutDown else { return }
        watch()
        await commands.setUp(for: clientId, canReachStore: canReachStore)
        guard isNotificationKept else { return }
        isNotificationKept = false
        refresh(.everything)
    }

    // MARK: Background

    private func makeBackground() -> BackgroundWork {
        let configuration = context.configuration
        let policy = BackgroundWork.PollingPolicy(
            interval: configuration.reconcileInterval?.bounded, retryInterval: configuration.retryInterval,
            pause: configuration.notificationPause, clock: configuration.clock,
            random: configuration.random, executor: configuration.executor)
        return BackgroundWork(
            policy, filter: { [weak self] in await self?.commands.scope(of: $0) }, look: { [weak self] in self?.refresh($0) })
    }

    /// Starts or stops background work: while telemetry is requested, following notifications and polling; otherwise only
    /// retrying pending work.
    func watch() {
        let isRunning = state.hasStarted && !state.isShutDown
        let isWanted = isRunning && settings.telemetryRequested
        if isWanted != background.isFollowing { background.follow(isWanted ? context.transport.base.notifications() : nil) }
        if !state.isShutDown { leases.wait(for: scenarios.registry.nextEnd) }
        guard isWanted || (isRunning && consent.hasPendingWork) else { return background.tick(.never) }
        background.tick(state.needsRetry || consent.hasPendingWork || state.status.isError ? .soon : .usually)
    }

    /// Ends background work, and returns when it has ended.
    func endBackground() async {
        await background.end()
        await leases.end()
    }

    /// Refreshes in a separate operation, which requests share until it starts.
    func refresh(_ scope: RefreshScope) {
        guard !state.isShutDown else { return }
        let isQueued = wanted != nil
        wanted = max(wanted ?? scope, scope)
        guard !isQueued else { return }
        operations.enqueue { await self.runPendingRefresh() }
    }

    private func runPendingRefresh() async {
        guard let scope = wanted else { return }
        wanted = nil
        await look(scope)
    }

    private func look(_ scope: RefreshScope) async {
        switch scope {
        case .commands: await commands.run()
        case .rules:
            await commands.run()
            await scenarios.applyRules(mirrors: true)
        case .everything: _ = await reconcile(isQuiet: true)
        }
    }

    /// Handles a notification that the host received.
    /// - Returns: Whether it may concern this client.
    func handle(_ notification: TelemetryNotification) async -> Bool {
        guard let scope = await commands.scope(of: notification) else { return false }
        if state.hasStarted { await look(scope) } else { isNotificationKept = true }
        return true
    }

    /// Handles an abandoned call that has returned: it may have undone later changes.
    func handleStraggler(_ effect: BoundedCalls.Effect, hasFailed: Bool) {
        guard !state.isShutDown else { return }
        if effect == .backup { operations.enqueue(backsUp: !hasFailed) { await self.consent.markBackupOutdated() } }
        guard hasFailed else { return refresh(.everything) }
        // Not at once: a store that hangs until it is cancelled would be called without a pause and block other operations.
        state.needsRetry = true
        watch()
    }

    private func endExpiredLeases() {
        guard !state.isShutDown else { return }
        operations.enqueue(backsUp: false) { await self.scenarios.endExpired() }
    }

    // MARK: Opting in

    /// Opts in on the user's behalf.
    /// - Parameter decision: The decision made by the user's call. A later opt-out overrules it.
    func enable(by decision: ConsentDecision) async {
        state.hasStarted = true
        state.show(.syncing, "Turning telemetry on.")
        let clientId = settings.clientIdentifier ?? identifiers.generateIdentifier()
        do {
            try TransportArguments.check(clientId: clientId)
        } catch {
            await consent.handle(.foundOff)
            let message = error.localizedDescription
            return state.show(.error(message), message)
        }
        let isDecided = await consent.handle(.optedIn(client: clientId), by: decision)
        _ = await reconcile(isQuiet: true, isOptIn: isDecided)
    }

    /// Restores the settings from the backup, unless the local settings are newer.
    func restoreFromBackup(by decision: ConsentDecision) async -> TelemetrySettingsSyncCoordinator.RestoreState {
        guard let coordinator = consent.coordinator else { return .fresh }
        // If telemetry is requested, or the settings have changed since the last backup, the backup is older.
        guard !settings.telemetryRequested, !consent.needsBackup else { return await coordinator.state }
        state.isRestorationInProgress = true
        defer { state.isRestorationInProgress = false }
        let (result, work): (TelemetrySettingsSyncCoordinator.RestoreState, TelemetryPendingWork)
        do {
            (result, work) = try await context.calls.call(.nothing) { await coordinator.restore() }
        } catch {
            return .failed(error.localizedDescription)
        }
        guard case .restored(let backup) = result else { return result }
        _ = await consent.handle(.restored(StoredConsent(SettingsDocument(settings: backup), work: work)), by: decision)
        if settings.telemetryRequested || !consent.work.deletions.isEmpty { _ = await reconcile() }
        return result
    }
}
