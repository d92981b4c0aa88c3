import TelemetryModels
import TelemetryPersistence

/// A host's scenario store, which keeps only whether scenarios are on.
@MainActor
final class SimulatedScenarioStore: TelemetryScenarioStoring {
    private let process: SimulatedProcess
    init(process: SimulatedProcess) { self.process = process }

    func loadState(for scenarioName: String) async -> Bool? { process.device.scenarioStates[scenarioName]?.isEnabled }
    func loadAllStates() async -> [String: Bool] { process.device.scenarioStates.mapValues(\.isEnabled) }
    func saveState(for scenarioName: String, isEnabled: Bool) async {
        await process.world.storeGate(process, "save scenario")
        if !process.isDead { process.device.scenarioStates[scenarioName] = .init(isEnabled: isEnabled) }
        await process.world.storeGate(process, "scenario saved")
    }
    func removeState(for scenarioName: String) async {
        if !process.isDead { process.device.scenarioStates[scenarioName] = nil }
    }
    func removeAllStates() async { if !process.isDead { process.device.scenarioStates = [:] } }
}
