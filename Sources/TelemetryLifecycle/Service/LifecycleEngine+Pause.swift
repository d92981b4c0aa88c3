import TelemetryModels
import TelemetryPersistence

/// Pausing: recording and sending stop, and everything else is kept.
extension LifecycleEngine {
    /// Updates the displayed state and the logger to the pause. Has no effect while telemetry is not requested.
    func applyPause() async {
        if !settings.telemetryRequested, !scenarios.pause.isEmpty { await scenarios.changePause { _ in [] } }
        // A pause is shown once nothing is recorded any more.
        if !scenarios.pause.isEmpty { await logger.setPaused(true) }
        if state.pause != scenarios.pause { state.pause = scenarios.pause }
        await logger.setPaused(state.isPaused)
    }

    /// Pauses for the host, or ends every pause.
    func setPausedByHost(_ isPaused: Bool) async {
        guard settings.telemetryRequested else { return }
        await changePause { isPaused ? $0.union(.byHost) : [] }
    }

    /// Pauses for a viewer, or ends a viewer's pause.
    func viewerPaused(_ isPaused: Bool, _ clientId: String) async throws {
        try require(clientId)
        await changePause { isPaused ? $0.union(.byViewer) : $0.subtracting(.byViewer) }
    }

    /// Returns why a viewer cannot end the pause; nil if it can.
    func pauseRejection(of work: PendingCommand.Work) -> String? {
        guard work == .resume, scenarios.pause.contains(.byHost) else { return nil }
        return "The app itself paused telemetry; only the app can resume it."
    }

    private func changePause(_ change: (TelemetryPause) -> TelemetryPause) async {
        await scenarios.changePause(change)
        await applyPause()
        await mirrorClient()
    }
}
