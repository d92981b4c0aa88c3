import TelemetryPersistence

/// The user's vetoes and the pause, which the processes of an app share through a store.
@MainActor
final class SharedControls {
    /// The scenarios that the user forbids.
    private(set) var denied: Set<String> = []
    /// Who paused telemetry.
    private(set) var pause: TelemetryPause = []
    /// What the store returned last; empty if it does not keep these values, and then only this process changes them.
    private var stored: (denied: Set<String>, pause: TelemetryPause) = ([], [])
    private let store: any TelemetryScenarioStoring

    init(store: any TelemetryScenarioStoring) { self.store = store }

    /// Adopts what has changed in the store since the last call.
    func read() async {
        let current = (denied: await store.loadDeniedScenarios(), pause: await store.loadPause())
        denied = denied.subtracting(stored.denied.subtracting(current.denied))
            .union(current.denied.subtracting(stored.denied))
        pause = pause.subtracting(stored.pause.subtracting(current.pause))
            .union(current.pause.subtracting(stored.pause))
        stored = current
    }

    func setDenied(_ scenarioName: String, _ isDenied: Bool) async {
        if isDenied { denied.insert(scenarioName) } else { denied.remove(scenarioName) }
        await store.saveDenied(isDenied, for: scenarioName)
        await read()
    }

    /// Changes the pause that the store has now, so that a pause of another process is kept.
    func changePause(_ change: (TelemetryPause) -> TelemetryPause) async {
        await read()
        pause = change(pause)
        await store.savePause(pause)
        await read()
    }
}
