import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence

/// Owns the consent's state: reads and writes its stored part, and aligns the logger with it.
///
/// Reads and writes are serialized in the order of the calls. They have a queue of their own, apart from those of the service's
/// operations and of the logger: an opt-out is recorded while an operation waits for the transport, or the logger is slow to stop.
/// A change checks its preconditions inside the change, because another process may have changed what is stored.
@MainActor
final class ConsentController {
    private(set) var state = ConsentState()
    let gate: LoggerGate
    private let stores: ConsentStores
    let coordinator: TelemetrySettingsSyncCoordinator?
    private let context: LifecycleContext
    /// The clients of which this process may store data, as the other processes see it.
    private var uses: Set<String> = []
    private let queue: SerialQueue
    private let optOuts = OptOutCount()
    /// Records an opt-out that the settings store does not accept.
    private var marker: OptOutMarker?

    init(
        stores: ConsentStores, marker: OptOutMarker?, gate: LoggerGate, coordinator: TelemetrySettingsSyncCoordinator?,
        context: LifecycleContext
    ) {
        self.stores = stores
        self.marker = marker
        self.gate = gate
        self.coordinator = coordinator
        self.context = context
        queue = SerialQueue(executor: context.configuration.executor)
        gate.wanted = { [weak self] in
            guard let state = self?.state else { return .init(gate: .closed(client: nil), isPaused: false) }
            return .init(gate: state.gate, isPaused: !state.pause.isEmpty)
        }
    }

    var settings: TelemetrySettings { state.settings }
    var work: TelemetryPendingWork { state.stored.work }

    /// The client whose records mirror the local state; nil if there is none yet.
    var mirroredClient: String? {
        guard settings.telemetryRequested, let clientId = settings.clientIdentifier else { return nil }
        return state.stored.needsRegistration(of: clientId) ? nil : clientId
    }

    /// Whether there are pending changes in the store or the backup.
    var hasPendingWork: Bool {
        !work.deletions.isEmpty || needsBackup || settings.clientIdentifier.map(state.stored.needsRegistration) ?? false
    }

    // MARK: Events

    /// Handles an event: closes the gate first, if it is to be closed; then changes what is stored; then opens the gate, if it is to
    /// be opened, and turns the logger off otherwise.
    /// - Returns: Whether the settings or the pending work have changed.
    @discardableResult
    func handle(_ event: ConsentEvent) async -> Bool {
        var expected = state
        expected.handle(event)
        if state.isOpen, !expected.isOpen { closeGate() }
        let hasChanged = event.isStored ? await queue.perform { await self.store(event) } : false
        if !event.isStored { state.handle(event) }
        await gate.align()
        return hasChanged
    }

    /// Handles the event, unless the user has opted out since the decision.
    /// - Returns: Whether the decision was still valid.
    func handle(_ event: ConsentEvent, by decision: ConsentDecision) async -> Bool {
        let holds = await queue.perform { await self.store(event, by: decision) }
        await gate.align()
        return holds
    }

    /// Opts out, ahead of all later calls: the gate is closed when the call returns, and the opt-out is recorded before any later
    /// change.
    func optOut() {
        optOuts.add()
        let event = ConsentEvent.optedOut(used: state.used)
        state.handleHere(event, since: state.stored)
        gate.withdraw()
        let count = optOuts.now
        queue.enqueue { await self.recordOptOut(count) { $0.handle(event) } }
    }

    /// Closes the gate at once, until an event opens it again.
    func closeGate() {
        state.handle(.foundEnded)
        gate.withdraw()
    }

    /// Changes the pending work.
    /// - Parameter transform: May run more than once; the last run counts.
    func changeWork(_ transform: @escaping @Sendable (inout TelemetryPendingWork) -> Void) async {
        await queue.perform { _ = await self.update { transform(&$0.work) } }
    }

    // MARK: Decisions

    /// Returns a decision made now, which any later opt-out overrules. The stored settings are read asynchronously, in order.
    func decide() -> ConsentDecision {
        let decision = ConsentDecision(count: optOuts.now)
        queue.enqueue {
            await self.read()
            decision.stored = self.state.stored.document.optOuts
        }
        return decision
    }

    private func store(_ event: ConsentEvent, by decision: ConsentDecision) async -> Bool {
        let (optOuts, count, stored) = (optOuts, decision.count, decision.stored)
        // If the store did not accept the opt-out, its contents are older.
        let isHeldOff = state.isHeldOff
        let previous = state.stored
        let holds = await update { state in
            if isHeldOff, state.settings.telemetryRequested { state.handle(.optedOut(used: nil)) }
            guard optOuts.now == count, isHeldOff || state.document.optOuts == stored else { return false }
            state.handle(event)
            return true
        }.result
        guard holds, settings.telemetryRequested, optOuts.now == count else { return holds }
        state.handleHere(event, since: previous)
        clearMarker()
        return true
    }

    // MARK: Reading and writing

    /// Reads what is stored, which another process may have changed.
    func load() async { await queue.perform { await self.read() } }

    /// Returns whether a client's events may be sent, by what is stored now. Waits only for the stores.
    var consentCheck: @Sendable (_ clientId: String?) async -> Bool {
        { [marker, check = stores.consentCheck] clientId in
            marker?.isPlaced == true ? false : await check(clientId)
        }
    }

    private func store(_ event: ConsentEvent) async -> Bool {
        let previous = await update { state in
            let previous = state
            state.handle(event)
            return previous
        }.result
        state.handleHere(event, since: previous)
        return settings != previous.settings || work != previous.work
    }

    private func read() async {
        guard !state.isHeldOff else {
            return await recordOptOut(optOuts.now) {
                if $0.settings.telemetryRequested || $0.settings.clientIdentifier != nil { $0.handle(.optedOut(used: nil)) }
            }
        }
        state.read(await stores.read())
        if marker?.isPlaced == true { return await recordOptOut(optOuts.now) { $0.handle(.optedOut(used: nil)) } }
        // A process was killed between the two changes of an opt-out.
        if state.stored.hasUnfinishedOptOut { return await recordOptOut(optOuts.now) { $0.complete() } }
        context.state.show(settings)
    }

    /// - Parameter count: The number of this process's opt-outs that this one includes.
    private func recordOptOut(_ count: Int, _ transform: @escaping @Sendable (inout StoredConsent) -> Void) async {
        let isRecorded = await update(isOptOut: true, transform).isRecorded
        if isRecorded { clearMarker() }
        let location: ConsentState.OptOut? = isRecorded ? nil : marker?.place() == true ? .marked : .unrecorded
        // A later opt-out is recorded next; until then the gate stays closed.
        if optOuts.now == count { state.handle(.optOutRecorded(location)) }
    }

    private func clearMarker() {
        _ = marker?.take()
        marker?.clear()
    }

    private func update<Result: Sendable>(
        isOptOut: Bool = false, _ transform: @escaping @Sendable (inout StoredConsent) -> Result
    ) async -> ConsentStores.Update<Result> {
        let isBackedUp = coordinator != nil
        let update = await stores.update(isOptOut: isOptOut) { state in
            let previous = state.settings
            state.complete()
            let result = transform(&state)
            if isBackedUp { state.noteBackup(of: previous) }
            return result
        }
        // Not the store's result: a store that fails must not restore a withdrawn consent.
        state.read(update.state)
        context.state.show(settings)
        return update
    }

    // MARK: Backup

    /// Whether the backup has to be replaced.
    var needsBackup: Bool { coordinator != nil && state.stored.needsBackup }

    /// Marks the backup as outdated, because an older backup may have replaced a newer one.
    func markBackupOutdated() async { if coordinator != nil { await changeWork { $0.backup = .outdated } } }

    /// Replaces the backup if it differs from the settings. A failure is reported and retried after the next operation.
    func backUp() async {
        guard let coordinator, needsBackup else { return }
        let (settings, work) = (settings, state.stored.backedUpWork)
        do {
            try await context.calls.call(.backup) { try await coordinator.backUp(settings, pendingWork: work) }
            await changeWork { $0.backup = .holds(settings) }
        } catch {
            context.report(.storageFailed, "The settings could not be backed up: \(error.localizedDescription)")
        }
    }

    // MARK: Use by several processes

    /// Records that this process uses the client, and reads the settings again. A later opt-out in another process finds the
    /// client in use.
    func beginUse(of clientId: String) async {
        guard uses.insert(clientId).inserted else { return }
        await stores.settings.beginUse(of: clientId)
        await load()
    }

    /// Ends this process's use of clients other than its own.
    func endUses() async {
        for clientId in uses.sorted() where clientId != state.used {
            guard await !hasStragglers, uses.remove(clientId) != nil else { continue }
            await stores.settings.endUse(of: clientId)
        }
    }

    /// Whether another process may still store data of the client.
    func isUsedElsewhere(_ clientId: String) async -> Bool { await stores.settings.isUsedElsewhere(clientId) }

    /// Whether an abandoned call may still change the store.
    var hasStragglers: Bool {
        get async {
            if context.calls.hasStragglers { return true }
            return await gate.logger.hasStragglers
        }
    }
}
