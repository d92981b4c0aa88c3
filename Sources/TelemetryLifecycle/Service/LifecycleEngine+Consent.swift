import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Opting in and out.
extension LifecycleEngine {
    /// The person asks for telemetry.
    func enable() async {
        hasStarted = true
        state.show(.syncing, "Turning telemetry on.")
        let clientId = settings.clientIdentifier ?? identifiers.generateIdentifier()
        do {
            try NameRules.check(clientId: clientId)
        } catch {
            await logger.turn(on: false, clientId: nil)
            return state.show(.error(error.message), error.message)
        }
        // What was logged before the person asked for telemetry is not theirs to have sent, also where the viewer approved before.
        if !settings.telemetryRequested { await logger.turn(on: false, clientId: nil) }
        await keeper.change {
            $0.telemetryRequested = true
            $0.clientIdentifier = clientId
            // Until the record is known to be there, its absence means that it was never made.
            $0.obligations.registration = true
        }
        _ = await reconcile(isQuiet: true, isOptIn: true)
    }

    /// Telemetry ends here: nothing is sent any more, and what this client has at the store is deleted.
    /// - Parameter command: The viewer's command that asked for it; it stays, and is told as executed.
    func disable(
        reason: TelemetryLifecycleService.ReconciliationResult?, command: TelemetryRecord.ID? = nil
    ) async {
        hasStarted = true
        guard settings.telemetryRequested || settings.clientIdentifier != nil else {
            return await stayOff(result: reason ?? .allDisabled)
        }
        state.show(.syncing, "Turning telemetry off.")
        let clientId = settings.clientIdentifier
        await logger.turn(on: false, clientId: nil)
        // From here on it is decided, whatever happens to the process: what is owed is remembered with the reset settings.
        await keeper.change {
            var owed = $0.obligations
            owed.registration = false
            if let clientId { owed.add(.init(clientId: clientId, command: command)) }
            $0 = .defaults
            $0.obligations = owed
        }
        state.clientRecord = nil
        var failures = await tearDown()
        failures += await settle(isNewestFirst: true)
        state.reconciliation = reason ?? .allDisabled
        show(off: failures)
    }

    /// Telemetry is not requested, and nothing was to be undone.
    func stayOff(result: TelemetryLifecycleService.ReconciliationResult) async {
        await logger.turn(on: false, clientId: nil)
        // Another process of the app may have opted out.
        var failures = commands == nil ? [] : await tearDown()
        failures += await settle()
        state.reconciliation = result
        show(off: failures)
    }

    /// The client's record is gone: the settings go as well, and nothing is sent any more.
    func reset() async {
        let clientId = settings.clientIdentifier
        state.show(.syncing, "The client's record is gone.")
        await logger.turn(on: false, clientId: nil)
        await keeper.change {
            let owed = $0.obligations
            $0 = .defaults
            $0.obligations = owed
        }
        state.clientRecord = nil
        var failures = await tearDown()
        if let clientId { failures += await unsubscribe(clientId) }
        for failure in failures { report(.transportFailed, failure) }
        state.reconciliation = .missingClient
        state.show(.disabled, "The viewer does not know this client any more. Telemetry is off.")
    }

    private func show(off failures: [String]) {
        guard !failures.isEmpty else { return state.show(.disabled, nil) }
        let message = "Telemetry is off; still to be deleted: \(failures.joined(separator: "; "))."
        state.show(.error(message), message)
    }

    /// Does what deletions left undone.
    /// - Parameters:
    ///   - begun: The one that has only just been decided on.
    ///   - isNewestFirst: Whether the latest has the best of the time that there is.
    ///   - isForReturn: Whether to do only what a client that is wanted again cannot begin without.
    /// - Returns: what failed, in words.
    func settle(
        begun: TelemetryObligations.Cleanup? = nil, isNewestFirst: Bool = false, isForReturn: Bool = false
    ) async -> [String] {
        var failures: [String] = []
        let cleanups = settings.obligations.cleanups
        for cleanup in isNewestFirst ? cleanups.reversed() : cleanups {
            // The same client is wanted again: what it has from now on is not to be deleted.
            let isWantedAgain = cleanup.sessionEnd == nil && cleanup.clientId == settings.clientIdentifier
            // No store takes such an identifier, so none has anything of that client.
            let isImpossible = (try? NameRules.check(clientId: cleanup.clientId)) == nil
            if isImpossible || (isWantedAgain && cleanup.doneAt != nil) {
                await keeper.change { $0.obligations.cleanups.removeAll { $0 == cleanup } }
                continue
            }
            guard isWantedAgain || !isForReturn, isDue(cleanup) else { continue }
            let failed = await settle(cleanup, isFirst: cleanup == begun)
            failures += failed
            // A call that was given up may still bring something back; then it is all to be done again.
            let hasStragglers = await logger.hasStragglers || calls.hasStragglers
            guard failed.isEmpty, !hasStragglers || isWantedAgain else { continue }
            let date = configuration.date()
            let isComplete = transport.settlingTime == .zero || cleanup.doneAt != nil || isWantedAgain
            await keeper.change { settings in
                if !isComplete, let index = settings.obligations.cleanups.firstIndex(of: cleanup) {
                    settings.obligations.cleanups[index].doneAt = date
                } else {
                    settings.obligations.cleanups.removeAll { $0 == cleanup }
                }
            }
        }
        for failure in failures { report(.transportFailed, "Still to be deleted: \(failure).") }
        return failures
    }

    /// Whether it is time: what was done once is done again when the store's queries have come to know of every change.
    private func isDue(_ cleanup: TelemetryObligations.Cleanup) -> Bool {
        guard let doneAt = cleanup.doneAt else { return true }
        let seconds = configuration.date().timeIntervalSince(doneAt)
        // A clock that was set back, or that is out of its mind, says nothing of how much time has passed.
        guard seconds >= 0, seconds < 1e9 else { return true }
        return .seconds(seconds) >= transport.settlingTime
    }

    private func settle(_ cleanup: TelemetryObligations.Cleanup, isFirst: Bool) async -> [String] {
        let failures = await RemoteCleanup(transport: transport)
            .perform(cleanup, isFirst: isFirst, keeping: scenarios.registered ?? [])
        guard failures.isEmpty else { return failures.map { "\($0.what) (\($0.error.inWords))" } }
        guard let command = cleanup.command else { return [] }
        do {
            try await CommandEnd.executed(configuration.date()).write(to: command, through: transport)
            return []
        } catch {
            return ["the command's end (\(error.inWords))"]
        }
    }
}
