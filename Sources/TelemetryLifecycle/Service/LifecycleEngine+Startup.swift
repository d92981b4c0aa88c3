import Foundation
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Startup and restoring from a backup.
extension LifecycleEngine {
    /// Reads the settings. If telemetry is requested or work is pending, the rest of the startup follows in a separate operation.
    func startUp() async {
        guard !hasStarted else { return }
        hasStarted = true
        guard settings.telemetryRequested || keeper.hasPendingWork else {
            await logger.turn(on: false, clientId: nil)
            state.reconciliation = .allDisabled
            return state.show(.disabled, nil)
        }
        state.show(.syncing, "Contacting the store.")
        completeStartup()
    }

    /// Completes the startup in an operation that ``restored()`` waits for.
    private func completeStartup() {
        state.isRestorationInProgress = true
        inBackground { engine in
            _ = await engine.reconcile()
            engine.state.isRestorationInProgress = false
        }
    }

    /// Returns when the operations enqueued so far are done, including the startup.
    func restored() async {
        guard state.isRestorationInProgress else { return }
        await operation { _ in }
    }

    /// Restores the settings from the backup, unless the local settings are newer.
    func restoreFromBackup(by decision: ConsentDecision) async -> TelemetrySettingsSyncCoordinator.RestoreState {
        guard let coordinator else { return .fresh }
        // If telemetry is requested, or the settings have changed since the last backup, the backup is older.
        guard !settings.telemetryRequested, !keeper.needsBackup else { return await coordinator.state }
        state.isRestorationInProgress = true
        defer { state.isRestorationInProgress = false }
        let result: TelemetrySettingsSyncCoordinator.RestoreState
        do {
            result = try await calls.call(.nothing) { await coordinator.restoreSettingsFromBackup() }
        } catch {
            return .failed(error.localizedDescription)
        }
        guard case .restored(let backup) = result, backup.telemetryRequested else { return result }
        await keeper.restore(backup, by: decision)
        if settings.telemetryRequested { _ = await reconcile() }
        return result
    }
}
