import TelemetryModels
import TelemetryPersistence

/// The device's scenarios, vetoes and pause, as one process reads them.
@MainActor
final class SimulatedControlStore: TelemetryScenarioStoring {
    private let process: SimulatedProcess
    init(process: SimulatedProcess) { self.process = process }

    private var device: SimulatedDevice { process.device }
    private var planted: PlantedFault? { process.world.controls?.planted }

    func loadState(for scenarioName: String) async -> Bool? { device.scenarioStates[scenarioName]?.isEnabled }
    func loadAllStates() async -> [String: Bool] { device.scenarioStates.mapValues(\.isEnabled) }
    func saveState(for scenarioName: String, isEnabled: Bool) async {
        await saveScenario(TelemetryScenarioState(isEnabled: isEnabled), for: scenarioName)
    }
    func removeState(for scenarioName: String) async {
        if !process.isDead { device.scenarioStates[scenarioName] = nil }
    }
    func removeAllStates() async { if !process.isDead { device.scenarioStates = [:] } }

    func loadAllScenarios() async -> [String: TelemetryScenarioState] { device.scenarioStates }
    func saveScenario(_ state: TelemetryScenarioState, for scenarioName: String) async {
        var state = state
        if planted == .endNotSaved { state.expires = nil }
        if planted == .decisionNotSaved, state.source == .host { return }
        await change("save scenario") { $0.scenarioStates[scenarioName] = state }
    }

    func loadDeniedScenarios() async -> Set<String> { planted == .vetoForgotten ? [] : device.denied }
    func saveDenied(_ isDenied: Bool, for scenarioName: String) async {
        await change("save veto") { device in
            if isDenied { device.denied.insert(scenarioName) } else { device.denied.remove(scenarioName) }
        }
    }

    func loadPause() async -> TelemetryPause {
        switch planted {
        case .pauseForgotten: []
        case .pauseOfUnknownOrigin: device.pause.isEmpty ? [] : .byViewer
        default: device.pause
        }
    }
    func savePause(_ pause: TelemetryPause) async { await change("save pause") { $0.pause = pause } }

    /// The process may die before or after the change.
    private func change(_ what: String, _ body: (SimulatedDevice) -> Void) async {
        await process.world.storeGate(process, what)
        if !process.isDead { body(device) }
        await process.world.storeGate(process, "\(what), done")
    }
}
