import Foundation
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Coming up, and coming back from a backup.
extension LifecycleEngine {
    /// Reads the settings; where telemetry is requested, or work is pending, the rest follows in an operation of its own.
    func startUp() async {
        guard !hasStarted else { return }
        hasStarted = true
        guard settings.telemetryRequested || keeper.hasPendingWork else {
            await logger.turn(on: false, clientId: nil)
            state.reconciliation = .allDisabled
            return state.show(.disabled, nil)
        }
        state.show(.syncing, "Asking the store.")
        comeUp()
    }

    /// Brings everything up, in an operation that ``restored()`` waits for.
    private func comeUp() {
        state.isRestorationInProgress = true
        inBackground { engine in
            _ = await engine.reconcile()
            engine.state.isRestorationInProgress = false
        }
    }

    /// Returns when what was asked for so far is done, coming up included.
    func restored() async {
        guard state.isRestorationInProgress else { return }
        await operation { _ in }
    }

    /// Brings back the settings from the backup, unless those here are newer.
    func restoreFromBackup(by decision: ConsentDecision) async -> TelemetrySettingsSyncCoordinator.RestoreState {
        guard let coordinator else { return .fresh }
        // Requested here, or changed here without the backup's knowledge: the backup is the older one.
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
