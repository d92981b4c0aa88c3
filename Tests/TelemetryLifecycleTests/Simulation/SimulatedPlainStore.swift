import TelemetryModels
import TelemetryPersistence

/// A host's settings store, which keeps only the three fields and cannot fail.
@MainActor
final class SimulatedPlainStore: TelemetrySettingsStoring {
    private let process: SimulatedProcess
    init(process: SimulatedProcess) { self.process = process }

    func load() async -> TelemetrySettings { process.isDead ? .defaults : process.device.settings }
    func save(_ settings: TelemetrySettings) async -> TelemetrySettings { await update { $0 = settings } }
    func reset() async -> TelemetrySettings { await save(.defaults) }

    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await process.world.storeGate(process, "save settings")
        guard !process.isDead else { return .defaults }
        var settings = process.device.settings
        transform(&settings)
        process.device.store(SettingsDocument(settings: settings))
        await process.world.storeGate(process, "settings saved")
        return process.device.settings
    }
}
