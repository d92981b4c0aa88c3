import Foundation
import TelemetryModels
import TelemetryTransport

/// Makes the deletions that are pending in the store.
@MainActor
struct PendingDeletions {
    let consent: ConsentController
    let context: LifecycleContext
    /// The scenarios whose records are kept after the end of a session.
    let scenarios: ScenarioRegistry

    private var transport: BoundedTransport { context.transport }

    /// Makes the pending deletions.
    /// - Parameters:
    ///   - begun: The deletion that was just added.
    ///   - isNewestFirst: Whether the newest deletion is made first.
    ///   - isForReturn: Whether to make only the deletions that a client must complete before it opts in again.
    /// - Returns: Descriptions of the failures.
    func make(
        begun: TelemetryPendingWork.Deletion? = nil, isNewestFirst: Bool = false, isForReturn: Bool = false
    ) async -> [String] {
        var failures: [String] = []
        let deletions = consent.work.deletions
        for deletion in isNewestFirst ? deletions.reversed() : deletions {
            // The same client opted in again: its new data must not be deleted.
            let isWantedAgain = deletion.sessionEnd == nil && deletion.clientId == consent.settings.clientIdentifier
            // No store accepts such an identifier, so no store has data of that client.
            let isImpossible = (try? TransportArguments.check(clientId: deletion.clientId)) == nil
            if isImpossible || (isWantedAgain && (deletion.doneAt != nil || deletion.endsOnReturn)) {
                await consent.handle(.deleted(deletion))
                continue
            }
            guard isWantedAgain || !isForReturn, isDue(deletion) else { continue }
            // Another process deletes the data that it still stores. If it is killed, this one deletes it.
            let isUsed = deletion.sessionEnd == nil && !isWantedAgain ? await consent.isUsedElsewhere(deletion.clientId) : false
            if isUsed, deletion.doneAt != nil { continue }
            let hadStragglers = await consent.hasStragglers
            let failed = await make(deletion, isFirst: deletion == begun)
            failures += failed
            // An abandoned call may still store data again, or has done so; then the deletion is repeated.
            guard failed.isEmpty else { continue }
            let mayBeUndone = if hadStragglers { true } else { await consent.hasStragglers }
            guard !mayBeUndone || isWantedAgain else { continue }
            // If queries may miss recent changes, it is unknown which of them this deletion found.
            if isUsed, transport.consistencyDelay > .zero { continue }
            if !isUsed && (transport.consistencyDelay == .zero || deletion.doneAt != nil || isWantedAgain) {
                await consent.handle(.deleted(deletion))
            } else {
                let date = context.date
                await consent.changeWork { work in
                    guard let index = work.deletions.firstIndex(of: deletion) else { return }
                    work.deletions[index].doneAt = date
                }
            }
        }
        for failure in failures { context.report(.transportFailed, "Still to be deleted: \(failure).") }
        return failures
    }

    /// Whether the deletion is due. A deletion that was made is repeated once the store's queries reflect all earlier changes.
    private func isDue(_ deletion: TelemetryPendingWork.Deletion) -> Bool {
        guard let doneAt = deletion.doneAt else { return true }
        let seconds = context.date.timeIntervalSince(doneAt)
        // If the clock was set back, or far ahead, the elapsed time is unknown.
        guard seconds >= 0, seconds < 1e9 else { return true }
        return .seconds(seconds) >= transport.consistencyDelay
    }

    private func make(_ deletion: TelemetryPendingWork.Deletion, isFirst: Bool) async -> [String] {
        // A store may allow only the client itself to delete its data. It may be the client of an earlier process.
        await transport.setClientIdentifier(deletion.clientId)
        let failures = await delete(deletion, isFirst: isFirst)
        await transport.setClientIdentifier(consent.settings.clientIdentifier)
        return failures
    }

    private func delete(_ deletion: TelemetryPendingWork.Deletion, isFirst: Bool) async -> [String] {
        let failures = await RemoteCleanup(transport: transport)
            .perform(deletion, isFirst: isFirst, keeping: scenarios.registered ?? [])
        guard failures.isEmpty else { return failures.map { "\($0.what) (\($0.error.localizedDescription))" } }
        guard let command = deletion.command else { return [] }
        do {
            try await CommandOutcome.executed(context.date).write(to: command, through: transport)
            return []
        } catch {
            return ["the command's end (\(error.localizedDescription))"]
        }
    }
}
