import Foundation
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Pausing: recording and sending stop, and everything else is kept.
extension LifecycleEngine {
    /// Updates the displayed state and the logger to the pause. Has no effect while telemetry is not requested.
    func applyPause() async {
        if !settings.telemetryRequested, !scenarios.pause.isEmpty { await scenarios.setPause([]) }
        let isPaused = !scenarios.pause.isEmpty
        if state.isPaused != isPaused { state.isPaused = isPaused }
        await logger.setPaused(isPaused)
    }

    /// Pauses for the host, or ends every pause.
    func setPausedByHost(_ isPaused: Bool) async {
        guard settings.telemetryRequested else { return }
        await changePause(to: isPaused ? scenarios.pause.union(.byHost) : [])
    }

    /// Pauses for a viewer, or ends a viewer's pause.
    func viewerPaused(_ isPaused: Bool, _ clientId: String) async throws {
        try require(clientId)
        await changePause(to: isPaused ? scenarios.pause.union(.byViewer) : scenarios.pause.subtracting(.byViewer))
    }

    /// Returns why a viewer cannot end the pause; nil if it can.
    func pauseRejection(of work: PendingCommand.Work) -> String? {
        guard work == .resume, scenarios.pause.contains(.byHost) else { return nil }
        return "The app itself paused telemetry; only the app can resume it."
    }

    private func changePause(to pause: TelemetryPause) async {
        await scenarios.setPause(pause)
        await applyPause()
        await mirrorPause()
    }

    /// Stores in the client's record whether telemetry is paused. A failure is retried soon.
    func mirrorPause() async {
        guard mirroredClient != nil, let client = state.clientRecord, let id = client.recordID else { return }
        let isPaused = state.isPaused
        guard client.isPaused != isPaused else { return }
        do {
            let record = try await transport.modify(id) { stored in
                var record = stored
                record.set(.bool(isPaused), for: TelemetrySchema.ClientField.isPaused)
                return record
            }
            state.clientRecord = try TelemetryClientRecord(record: record)
        } catch {
            report(.transportFailed, "The pause could not be stored in the client's record: \(error.localizedDescription)")
            isInDoubt = true
        }
    }
}
