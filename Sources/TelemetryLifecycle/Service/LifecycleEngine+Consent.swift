import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Opting in and out.
extension LifecycleEngine {
    /// The person asks for telemetry.
    /// - Parameter decision: From the person's call: an opt-out since then overrules it.
    func enable(by decision: ConsentDecision) async {
        hasStarted = true
        state.show(.syncing, "Turning telemetry on.")
        // What was logged before the person asked for telemetry is not theirs to have sent, also where the viewer approved before.
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

    /// What follows the person's opt-out, which the settings say already: what the client has at the store is deleted.
    func leave(reason: TelemetryLifecycleService.ReconciliationResult?) async {
        hasStarted = true
        // The person has opted in again, in another process.
        guard !settings.telemetryRequested else { return refresh(.everything) }
        state.show(.syncing, "Turning telemetry off.")
        await scenarios.suspend()
        let isOver = commands != nil || !work.deletions.isEmpty
        await stayOff(result: reason ?? .allDisabled, isEnd: isOver)
    }

    /// The viewer turned this client off: nothing is sent any more, and what it has at the store is deleted.
    /// - Parameter command: The viewer's command that asked for it; it stays, and is marked as executed.
    func disable(
        _ clientId: String, reason: TelemetryLifecycleService.ReconciliationResult, command: TelemetryRecord.ID? = nil
    ) async {
        state.show(.syncing, "Turning telemetry off.")
        await logger.turn(on: false, clientId: nil)
        // From here on it is decided, whatever happens to the process.
        await keeper.change {
            if $0.settings.clientIdentifier == clientId {
                $0.withdraw(command: command)
            } else {
                $0.addDeletion(of: clientId, command: command)
            }
        }
        if ownClient == clientId { ownClient = nil }
        if !settings.telemetryRequested { await scenarios.suspend() }
        // Another process has put another client in its place.
        if settings.telemetryRequested { refresh(.everything) }
        await stayOff(result: reason, isEnd: true)
    }

    /// Telemetry is not requested: nothing is recorded, and pending work is done.
    /// - Parameter isEnd: Whether it has only just ended; then the client's own deletion has the best of the time that there is.
    func stayOff(result: TelemetryLifecycleService.ReconciliationResult, isEnd: Bool = false) async {
        await logger.turn(on: false, clientId: nil)
        await noticeDeparture()
        state.clientRecord = nil
        // Another process of the app may have ended it.
        var failures = isEnd || commands != nil ? await tearDown() : []
        failures += await settle(isNewestFirst: isEnd)
        state.reconciliation = result
        show(off: failures)
    }

    /// Where this process's client was taken from it, this process cleans up as well, once its logger has stopped: whoever ended
    /// the consent may have deleted what there was before the last of it was stored.
    func noticeDeparture() async {
        guard let clientId = ownClient, settings.clientIdentifier != clientId else { return }
        await logger.turn(on: false, clientId: nil)
        await keeper.change { if $0.settings.clientIdentifier != clientId { $0.addDeletion(of: clientId) } }
        ownClient = nil
        if !settings.telemetryRequested { await scenarios.suspend() }
    }

    /// Has the logger check the shared settings before each delivery: another process may end the consent at any time.
    func checkConsentBeforeDelivery() {
        logger.follow(
            TelemetryConsentCheck(stands: keeper.consentCheck) { [weak self] in await self?.consentHasEnded() })
    }

    /// The logger found the consent ended and refuses events; reconciling finds out what to do.
    private func consentHasEnded() {
        logger.withdraw()
        logger.settle()
        refresh(.everything)
    }

    /// The client's record was deleted: the settings are reset, and nothing is sent any more.
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
            _ = await goOnWithoutClient()
            return
        }
        ownClient = nil
        await scenarios.suspend()
        state.clientRecord = nil
        let failures = await tearDown() + unsubscribe(clientId)
        for failure in failures { report(.transportFailed, failure) }
        state.reconciliation = .missingClient
        state.show(.disabled, "The viewer does not know this client any more. Telemetry is off.")
    }

    private func show(off failures: [String]) {
        guard !failures.isEmpty || keeper.isOptOutUnrecorded else {
            let isRepeated = transport.consistencyDelay == .zero && work.deletions.contains { $0.doneAt != nil }
            let message = "Telemetry is off. What another process of the app may still store is deleted when it has stopped."
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

    /// Does what deletions left undone.
    /// - Parameters:
    ///   - begun: The one that has only just been decided on.
    ///   - isNewestFirst: Whether the latest has the best of the time that there is.
    ///   - isForReturn: Whether to do only what a client that is wanted again cannot begin without.
    /// - Returns: what failed, in words.
    func settle(
        begun: TelemetryPendingWork.Deletion? = nil, isNewestFirst: Bool = false, isForReturn: Bool = false
    ) async -> [String] {
        var failures: [String] = []
        let deletions = work.deletions
        for deletion in isNewestFirst ? deletions.reversed() : deletions {
            // The same client is wanted again: what it has from now on is not to be deleted.
            let isWantedAgain = deletion.sessionEnd == nil && deletion.clientId == settings.clientIdentifier
            // No store takes such an identifier, so none has anything of that client.
            let isImpossible = (try? NameRules.check(clientId: deletion.clientId)) == nil
            if isImpossible || (isWantedAgain && (deletion.doneAt != nil || deletion.endsOnReturn)) {
                await keeper.change { $0.work.deletions.removeAll { $0 == deletion } }
                continue
            }
            guard isWantedAgain || !isForReturn, isDue(deletion) else { continue }
            // Another process deletes what it stores from now on, unless it is killed: then it is for this one to delete.
            let isUsed = deletion.sessionEnd == nil && !isWantedAgain ? await keeper.isUsedElsewhere(deletion.clientId) : false
            if isUsed, deletion.doneAt != nil { continue }
            let hadStragglers = await hasStragglers
            let failed = await settle(deletion, isFirst: deletion == begun)
            failures += failed
            // A call that was given up may still bring something back, or did so meanwhile; then it is all to be done again.
            guard failed.isEmpty else { continue }
            let mayBeUndone = if hadStragglers { true } else { await hasStragglers }
            guard !mayBeUndone || isWantedAgain else { continue }
            let date = configuration.date()
            // Where queries hide changes, there is no telling which of those it has found.
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

    /// Shows other processes that this one stores nothing any more of the clients that it has left.
    func endUses() async {
        for clientId in keeper.uses where clientId != ownClient {
            if await !hasStragglers { await keeper.endUse(of: clientId) }
        }
    }

    /// Whether a call that was given up may still change something at the store.
    private var hasStragglers: Bool {
        get async {
            if calls.hasStragglers { return true }
            return await logger.hasStragglers
        }
    }

    /// Whether it is time: what was done once is done again when the store's queries have come to know of every change.
    private func isDue(_ deletion: TelemetryPendingWork.Deletion) -> Bool {
        guard let doneAt = deletion.doneAt else { return true }
        let seconds = configuration.date().timeIntervalSince(doneAt)
        // A clock that was set back, or far ahead, does not show how much time has passed.
        guard seconds >= 0, seconds < 1e9 else { return true }
        return .seconds(seconds) >= transport.consistencyDelay
    }

    private func settle(_ deletion: TelemetryPendingWork.Deletion, isFirst: Bool) async -> [String] {
        // A store may let nobody but the client itself delete what it has, also when it is the client of an earlier process.
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
