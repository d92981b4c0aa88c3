import TelemetryPersistence

/// The device's scenario states, as one process reads them.
@MainActor
final class SimulatedScenarioStore: TelemetryScenarioStoring {
    private let process: SimulatedProcess
    init(process: SimulatedProcess) { self.process = process }

    func loadState(for scenarioName: String) async -> Bool? { process.device.scenarioStates[scenarioName] }
    func loadAllStates() async -> [String: Bool] { process.device.scenarioStates }
    func saveState(for scenarioName: String, isEnabled: Bool) async {
        await process.world.storeGate(process, "save scenario")
        if !process.isDead { process.device.scenarioStates[scenarioName] = isEnabled }
        await process.world.storeGate(process, "scenario saved")
    }
    func removeState(for scenarioName: String) async {
        if !process.isDead { process.device.scenarioStates[scenarioName] = nil }
    }
    func removeAllStates() async { if !process.isDead { process.device.scenarioStates = [:] } }
}
