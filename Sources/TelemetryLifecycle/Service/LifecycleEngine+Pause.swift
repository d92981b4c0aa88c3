import Foundation
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Pausing: nothing is recorded and sent for the time being, and everything else stays.
extension LifecycleEngine {
    /// Brings what is shown and the logger in line with who paused. Without a request for telemetry there is nothing to pause.
    func applyPause() async {
        if !settings.telemetryRequested, !scenarios.pause.isEmpty { await scenarios.setPause([]) }
        let isPaused = !scenarios.pause.isEmpty
        if state.isPaused != isPaused { state.isPaused = isPaused }
        await logger.setPaused(isPaused)
    }

    /// The host pauses, or ends every pause.
    func setPausedByHost(_ isPaused: Bool) async {
        guard settings.telemetryRequested else { return }
        await changePause(to: isPaused ? scenarios.pause.union(.byHost) : [])
    }

    /// A viewer pauses, or ends a viewer's pause.
    func viewerPaused(_ isPaused: Bool, _ clientId: String) async throws {
        try require(clientId)
        await changePause(to: isPaused ? scenarios.pause.union(.byViewer) : scenarios.pause.subtracting(.byViewer))
    }

    /// Why a viewer cannot end the pause; nil where it can.
    func pauseRejection(of work: PendingCommand.Work) -> String? {
        guard work == .resume, scenarios.pause.contains(.byHost) else { return nil }
        return "The app itself paused telemetry; only the app can resume it."
    }

    private func changePause(to pause: TelemetryPause) async {
        await scenarios.setPause(pause)
        await applyPause()
        await mirrorPause()
    }

    /// Makes the client's record say whether telemetry is paused. What fails for now is tried again soon.
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
            report(.transportFailed, "The client's record does not say whether it is paused: \(error.localizedDescription)")
            isInDoubt = true
        }
    }
}
