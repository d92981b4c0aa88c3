import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport

/// A device whose processes are killed after a number of changes to its stores; their later changes have no effect.
@MainActor
final class MortalDevice {
    var document = SettingsDocument()
    var work = TelemetryPendingWork()
    var scenarioStates: [String: Bool] = [:]
    /// The changes, in order.
    var changes: [String] = []
    /// Whether the settings store keeps only the three fields.
    let keepsThreeFields: Bool
    let transport = MockTelemetryTransport()

    var settings: TelemetrySettings {
        get { document.settings }
        set { document.settings = newValue }
    }

    init(keepsThreeFields: Bool = false) { self.keepsThreeFields = keepsThreeFields }

    /// A process of the app. With nil changes it is not killed.
    func start(changes limit: Int? = nil) -> TelemetryLifecycleService {
        let life = Life(left: limit)
        let full = MortalSettingsStore(device: self, life: life)
        return TelemetryLifecycleService(
            settingsStore: keepsThreeFields ? MortalPlainStore(store: full) : full, transport: transport,
            configuration: .init(
                operationTimeout: .seconds(10), reconcileInterval: nil, clock: ManualClock(), now: { TelemetryFixtures.date }),
            logger: MockTelemetryLogger(), scenarioStore: MortalScenarioStore(device: self, life: life),
            pendingWorkStore: MortalWorkStore(device: self, life: life))
    }

    /// Starts a process that does all pending work.
    func restart() async -> TelemetryLifecycleService {
        let service = start()
        await service.startup()
        await service.restorationFinished()
        await service.reconcile()
        return service
    }

    /// The number of changes that a process may still make.
    @MainActor
    final class Life {
        private var left: Int?
        init(left: Int?) { self.left = left }

        func take() -> Bool {
            guard let left else { return true }
            self.left = max(0, left - 1)
            return left > 0
        }
    }
}

@MainActor
private final class MortalSettingsStore: TelemetrySettingsStoring, SettingsDocumentStoring {
    private let device: MortalDevice
    private let life: MortalDevice.Life
    init(device: MortalDevice, life: MortalDevice.Life) {
        self.device = device
        self.life = life
    }

    nonisolated var keepsDocument: Bool { true }
    func loadDocument() async -> SettingsDocument { device.document }
    func currentDocument() async -> SettingsDocument { device.document }
    func changeDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async {
        var document = device.document
        transform(&document)
        guard life.take() else { return }
        device.document = device.keepsThreeFields ? SettingsDocument(settings: document.settings) : document
        device.changes.append("settings")
    }
    func recordOptOutInDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) async -> Bool {
        await changeDocument(transform)
        return true
    }

    func load() async -> TelemetrySettings { device.settings }
    func save(_ settings: TelemetrySettings) async -> TelemetrySettings { await update { $0 = settings } }
    func reset() async -> TelemetrySettings { await save(.defaults) }
    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        var settings = device.settings
        transform(&settings)
        let result = settings
        await changeDocument { $0.settings = result }
        return settings
    }
}

@MainActor
private final class MortalPlainStore: TelemetrySettingsStoring {
    private let store: MortalSettingsStore
    init(store: MortalSettingsStore) { self.store = store }

    func load() async -> TelemetrySettings { await store.load() }
    func save(_ settings: TelemetrySettings) async -> TelemetrySettings { await store.save(settings) }
    func reset() async -> TelemetrySettings { await store.reset() }
    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await store.update(transform)
    }
}

@MainActor
private final class MortalWorkStore: TelemetryPendingWorkStoring {
    private let device: MortalDevice
    private let life: MortalDevice.Life
    init(device: MortalDevice, life: MortalDevice.Life) {
        self.device = device
        self.life = life
    }

    func loadPendingWork() async -> TelemetryPendingWork { device.work }
    func removePendingWork() async { _ = await updatePendingWork { $0 = TelemetryPendingWork() } }
    func updatePendingWork(_ transform: @Sendable (inout TelemetryPendingWork) -> Void) async -> TelemetryPendingWork {
        var work = device.work
        transform(&work)
        if life.take() {
            device.work = work
            device.changes.append("work")
        }
        return work
    }
}

@MainActor
private final class MortalScenarioStore: TelemetryScenarioStoring {
    private let device: MortalDevice
    private let life: MortalDevice.Life
    init(device: MortalDevice, life: MortalDevice.Life) {
        self.device = device
        self.life = life
    }

    func loadState(for scenarioName: String) async -> Bool? { device.scenarioStates[scenarioName] }
    func loadAllStates() async -> [String: Bool] { device.scenarioStates }
    func saveState(for scenarioName: String, isEnabled: Bool) async {
        if life.take() { device.scenarioStates[scenarioName] = isEnabled }
    }
    func removeState(for scenarioName: String) async {
        if life.take() { device.scenarioStates[scenarioName] = nil }
    }
    func removeAllStates() async { if life.take() { device.scenarioStates = [:] } }
}
