import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence

/// The settings' backup, and the clients that this process uses.
extension ConsentController {
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
