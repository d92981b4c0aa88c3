import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Opting in and out.
extension LifecycleEngine {
    /// Opts in on the user's behalf.
    /// - Parameter decision: The decision made by the user's call. A later opt-out overrules it.
    func enable(by decision: ConsentDecision) async {
        hasStarted = true
        state.show(.syncing, "Turning telemetry on.")
        // Events that were logged before the opt-in must not be sent, even if the viewer approved the client earlier.
        if !settings.telemetryRequested { await logger.turn(on: false, clientId: nil) }
        let identifiers = identifiers
        let refusal = Mutex<String?>(nil)
        let generated = Mutex<String?>(nil)
        let isDecided = await keeper.change(by: decision) { state in
            let clientId = state.settings.clientIdentifier ?? generated.once(identifiers.generateIdentifier)
            do {
                try NameRules.check(clientId: clientId)
            } catch {
                let message = error.localizedDescription
                return refusal.withLock { $0 = message }
            }
            refusal.withLock { $0 = nil }
            state.optIn(clientId)
        }
        if let message = refusal.withLock(\.self) {
            await logger.turn(on: false, clientId: nil)
            return state.show(.error(message), message)
        }
        _ = await reconcile(isQuiet: true, isOptIn: isDecided)
    }

    /// Deletes the client's data in the store after the user's opt-out, which is already in the settings.
    func leave(reason: TelemetryLifecycleService.ReconciliationResult?) async {
        hasStarted = true
        // The user has opted in again in another process.
        guard !settings.telemetryRequested else { return refresh(.everything) }
        state.show(.syncing, "Turning telemetry off.")
        await scenarios.suspend()
        let isOver = commands != nil || !work.deletions.isEmpty
        await stayOff(result: reason ?? .allDisabled, isEnd: isOver)
    }

    /// Disables this client for the viewer: sending stops, and the client's data in the store is deleted.
    /// - Parameter command: The viewer's command. It is kept and marked as executed.
    func disable(
        _ clientId: String, reason: TelemetryLifecycleService.ReconciliationResult, command: TelemetryRecord.ID? = nil
    ) async {
        state.show(.syncing, "Turning telemetry off.")
        await logger.turn(on: false, clientId: nil)
        // Stored first, so that it is completed even if the process is killed.
        await keeper.change {
            if $0.settings.clientIdentifier == clientId {
                $0.withdraw(command: command)
            } else {
                $0.addDeletion(of: clientId, command: command)
            }
        }
        if ownClient == clientId { ownClient = nil }
        if !settings.telemetryRequested { await scenarios.suspend() }
        // Another process has replaced the client.
        if settings.telemetryRequested { refresh(.everything) }
        await stayOff(result: reason, isEnd: true)
    }

    /// Keeps telemetry off: nothing is recorded, and pending work is done.
    /// - Parameter isEnd: Whether consent has just ended; then the client's own deletion is made first.
    func stayOff(result: TelemetryLifecycleService.ReconciliationResult, isEnd: Bool = false) async {
        await logger.turn(on: false, clientId: nil)
        await cleanUpAfterDeparture()
        state.clientRecord = nil
        // Another process of the app may have ended the consent.
        var failures = isEnd || commands != nil ? await tearDown() : []
        failures += await settle(isNewestFirst: isEnd)
        state.reconciliation = result
        show(off: failures)
    }

    /// If another process ended this client's consent, deletes the client's data again once the logger has stopped: this process
    /// may have stored events after the other one's deletion.
    func cleanUpAfterDeparture() async {
        guard let clientId = ownClient, settings.clientIdentifier != clientId else { return }
        await logger.turn(on: false, clientId: nil)
        await keeper.change { if $0.settings.clientIdentifier != clientId { $0.addDeletion(of: clientId) } }
        ownClient = nil
        if !settings.telemetryRequested { await scenarios.suspend() }
    }

    /// Makes the logger check the shared settings before each delivery, because another process may end the consent at any time.
    func checkConsentBeforeDelivery() {
        logger.logger.follow(
            TelemetryConsentCheck(isGranted: keeper.consentCheck) { [weak self] in await self?.consentHasEnded() })
    }

    /// Called when the logger found that the consent has ended and refuses events. Reconciling decides what to do.
    private func consentHasEnded() {
        logger.withdraw()
        logger.settle()
        refresh(.everything)
    }

    /// Resets the settings and stops sending, because the client's record was deleted.
    func reset(_ clientId: String) async {
        state.show(.syncing, "The client's record is gone.")
        await logger.turn(on: false, clientId: nil)
        let isReset = Mutex(false)
        await keeper.change { state in
            let isCurrent = state.settings.clientIdentifier == clientId
            isReset.withLock { $0 = isCurrent }
            if isCurrent { state.discardConsent() }
        }
        guard isReset.withLock(\.self) else {
            _ = await continueWithoutClient()
            return
        }
        ownClient = nil
        await scenarios.suspend()
        state.clientRecord = nil
        let failures = await tearDown() + unsubscribe(clientId)
        for failure in failures { report(.transportFailed, failure) }
        state.reconciliation = .missingClient
        state.show(.disabled, "The client's record was deleted. Telemetry is off.")
    }

    private func show(off failures: [String]) {
        guard !failures.isEmpty || keeper.isOptOutUnrecorded else {
            let isRepeated = transport.consistencyDelay == .zero && work.deletions.contains { $0.doneAt != nil }
            let message = "Telemetry is off. Events that another process of the app still stores are deleted once it stops."
            return state.show(.disabled, isRepeated ? message : nil)
        }
        var message = "Telemetry is off"
        if keeper.isOptOutUnrecorded {
            message += "; this could not be stored, and a restart may turn it on again"
        }
        if !failures.isEmpty { message += "; still to be deleted: \(failures.joined(separator: "; "))" }
        message += "."
        state.show(.error(message), message)
    }

    /// Makes the pending deletions.
    /// - Parameters:
    ///   - begun: The deletion that was just added.
    ///   - isNewestFirst: Whether the newest deletion is made first.
    ///   - isForReturn: Whether to make only the deletions that a client must complete before it opts in again.
    /// - Returns: Descriptions of the failures.
    func settle(
        begun: TelemetryPendingWork.Deletion? = nil, isNewestFirst: Bool = false, isForReturn: Bool = false
    ) async -> [String] {
        var failures: [String] = []
        let deletions = work.deletions
        for deletion in isNewestFirst ? deletions.reversed() : deletions {
            // The same client opted in again: its new data must not be deleted.
            let isWantedAgain = deletion.sessionEnd == nil && deletion.clientId == settings.clientIdentifier
            // No store accepts such an identifier, so no store has data of that client.
            let isImpossible = (try? NameRules.check(clientId: deletion.clientId)) == nil
            if isImpossible || (isWantedAgain && (deletion.doneAt != nil || deletion.endsOnReturn)) {
                await keeper.change { $0.work.deletions.removeAll { $0 == deletion } }
                continue
            }
            guard isWantedAgain || !isForReturn, isDue(deletion) else { continue }
            // Another process deletes the data that it still stores. If it is killed, this one deletes it.
            let isUsed = deletion.sessionEnd == nil && !isWantedAgain ? await keeper.isUsedElsewhere(deletion.clientId) : false
            if isUsed, deletion.doneAt != nil { continue }
            let hadStragglers = await hasStragglers
            let failed = await settle(deletion, isFirst: deletion == begun)
            failures += failed
            // An abandoned call may still store data again, or has done so; then the deletion is repeated.
            guard failed.isEmpty else { continue }
            let mayBeUndone = if hadStragglers { true } else { await hasStragglers }
            guard !mayBeUndone || isWantedAgain else { continue }
            let date = configuration.date()
            // If queries may miss recent changes, it is unknown which of them this deletion found.
            if isUsed, transport.consistencyDelay > .zero { continue }
            let isComplete = !isUsed && (transport.consistencyDelay == .zero || deletion.doneAt != nil || isWantedAgain)
            await keeper.change { state in
                if !isComplete, let index = state.work.deletions.firstIndex(of: deletion) {
                    state.work.deletions[index].doneAt = date
                } else {
                    state.work.deletions.removeAll { $0 == deletion }
                }
            }
        }
        for failure in failures { report(.transportFailed, "Still to be deleted: \(failure).") }
        return failures
    }

    /// Ends this process's use of clients other than its own, which other processes see.
    func endUses() async {
        for clientId in keeper.uses.sorted() where clientId != ownClient {
            if await !hasStragglers { await keeper.endUse(of: clientId) }
        }
    }

    /// Whether an abandoned call may still change the store.
    private var hasStragglers: Bool {
        get async {
            if calls.hasStragglers { return true }
            return await logger.logger.hasStragglers
        }
    }

    /// Whether the deletion is due. A deletion that was made is repeated once the store's queries reflect all earlier changes.
    private func isDue(_ deletion: TelemetryPendingWork.Deletion) -> Bool {
        guard let doneAt = deletion.doneAt else { return true }
        let seconds = configuration.date().timeIntervalSince(doneAt)
        // If the clock was set back, or far ahead, the elapsed time is unknown.
        guard seconds >= 0, seconds < 1e9 else { return true }
        return .seconds(seconds) >= transport.consistencyDelay
    }

    private func settle(_ deletion: TelemetryPendingWork.Deletion, isFirst: Bool) async -> [String] {
        // A store may allow only the client itself to delete its data, also for the client of an earlier process.
        await transport.setClientIdentifier(deletion.clientId)
        let failures = await delete(deletion, isFirst: isFirst)
        await transport.setClientIdentifier(settings.clientIdentifier)
        return failures
    }

    private func delete(_ deletion: TelemetryPendingWork.Deletion, isFirst: Bool) async -> [String] {
        let failures = await RemoteCleanup(transport: transport)
            .perform(deletion, isFirst: isFirst, keeping: scenarios.registered ?? [])
        guard failures.isEmpty else { return failures.map { "\($0.what) (\($0.error.localizedDescription))" } }
        guard let command = deletion.command else { return [] }
        do {
            try await CommandOutcome.executed(configuration.date()).write(to: command, through: transport)
            return []
        } catch {
            return ["the command's end (\(error.localizedDescription))"]
        }
    }
}
