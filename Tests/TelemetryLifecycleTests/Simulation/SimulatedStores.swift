import TelemetryModels
import TelemetryPersistence

/// The device's settings, as one process sees them: it may die before or after each change.
@MainActor
final class SimulatedSettingsStore: TelemetrySettingsStoring {
    private let process: SimulatedProcess
    init(process: SimulatedProcess) { self.process = process }

    func load() async -> TelemetrySettings { process.device.settings }

    func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        await change { $0 = settings }
        return settings
    }

    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await change(transform)
        return process.device.settings
    }

    func reset() async -> TelemetrySettings { await save(.defaults) }

    private func change(_ transform: (inout TelemetrySettings) -> Void) async {
        await process.world.storeGate(process, "save settings")
        guard !process.isDead else { return }
        transform(&process.device.settings)
        let device = process.device
        if let identifier = device.settings.clientIdentifier, device.identifiers.last != identifier {
            device.identifiers.append(identifier)
        }
        await process.world.storeGate(process, "settings saved")
    }
}

/// The device's scenario states, as one process sees them.
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
