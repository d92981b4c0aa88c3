import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLifecycle

/// Settings and pending work are separate stores: a kill between two changes loses neither a decision nor a deletion.
@MainActor
struct PendingWorkTests {
    private nonisolated static let clientId = TelemetryFixtures.clientId

    private func approvedDevice(keepsThreeFields: Bool) async throws -> MortalDevice {
        let device = MortalDevice(keepsThreeFields: keepsThreeFields)
        device.settings = TelemetryFixtures.approvedSettings
        try await device.transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        try await device.transport.store.append(TelemetryFixtures.events(1...3))
        return device
    }

    private func belongings(at transport: MockTelemetryTransport) async throws -> Int {
        let events = try await transport.store.countEvents(matching: .init(clientId: Self.clientId))
        return try await events + transport.store.fetchTelemetryClients(clientId: Self.clientId).count
    }

    @Test("An opt-out and an opt-in change the pending work before the settings", arguments: [false, true])
    func order(keepsThreeFields: Bool) async throws {
        let device = try await approvedDevice(keepsThreeFields: keepsThreeFields)
        device.transport.isOffline = true
        let service = await device.restart()
        device.changes = []
        await service.disableTelemetry()
        #expect(device.changes == ["work", "settings", "work"])
        #expect(device.work.deletions.map(\.endsConsent) == [nil])
        device.changes = []
        await service.enableTelemetry()
        #expect(device.changes == ["work", "settings"])
    }

    @Test(
        "An opt-out that is killed after any change holds from the first change on, and everything is deleted",
        arguments: [false, true], 0...4)
    func killedOptOut(keepsThreeFields: Bool, changes: Int) async throws {
        let device = try await approvedDevice(keepsThreeFields: keepsThreeFields)
        device.transport.isOffline = true
        await device.start(changes: changes).disableTelemetry()
        device.transport.isOffline = false
        let service = await device.restart()
        #expect(device.settings.telemetryRequested == (changes == 0))
        #expect(service.settings == device.settings)
        #expect(service.status == (changes == 0 ? .enabled : .disabled))
        #expect(try await belongings(at: device.transport) == (changes == 0 ? 4 : 0))
        #expect(device.work.isEmpty)
    }

    @Test(
        "An opt-in that is killed after any change either has no effect, or the client's record is created",
        arguments: [false, true], 0...4)
    func killedOptIn(keepsThreeFields: Bool, changes: Int) async throws {
        let device = MortalDevice(keepsThreeFields: keepsThreeFields)
        device.transport.isOffline = true
        await device.start(changes: changes).enableTelemetry()
        device.transport.isOffline = false
        let service = await device.restart()
        #expect(device.settings.telemetryRequested == (changes >= 2))
        #expect(service.status == (changes >= 2 ? .pendingApproval : .disabled))
        #expect(try await device.transport.store.fetchTelemetryClients().count == (changes >= 2 ? 1 : 0))
        #expect(!service.hasPendingWork)
    }

    @Test("An opt-in after an interrupted opt-out is a new client; the first one is deleted", arguments: [false, true])
    func optInAfterwards(keepsThreeFields: Bool) async throws {
        let device = try await approvedDevice(keepsThreeFields: keepsThreeFields)
        device.transport.isOffline = true
        await device.start(changes: 1).disableTelemetry()
        #expect(device.settings.telemetryRequested)
        device.transport.isOffline = false
        let service = device.start()
        await service.enableTelemetry()
        await service.reconcile()
        #expect(service.status == .pendingApproval)
        #expect(service.settings.clientIdentifier != Self.clientId)
        #expect(try await belongings(at: device.transport) == 0)
        #expect(device.work.isEmpty)
    }

    @Test("A delivery is refused once an opt-out is in the pending work, even before it is in the settings")
    func consentCheck() async throws {
        let device = try await approvedDevice(keepsThreeFields: false)
        let logger = TelemetryLogger(configuration: .init(batchSize: 100), transport: device.transport, clock: ManualClock())
        let settingsStore = InMemoryTelemetrySettingsStore()
        await settingsStore.save(TelemetryFixtures.approvedSettings)
        let service = TelemetryLifecycleService(
            settingsStore: settingsStore, transport: device.transport,
            configuration: .init(reconcileInterval: nil, clock: ManualClock()), logger: logger,
            scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        try #require(service.status == .enabled)
        logger.logEvent(name: "late")
        await settingsStore.updatePendingWork { $0.add(.init(clientId: Self.clientId, endsConsent: 0)) }
        await logger.flush()
        #expect(device.transport.appendedEvents.isEmpty)
        await service.reconcile()
        #expect(await settingsStore.load() == .defaults)
        await service.shutdown()
    }

    @Test("A deletion for an earlier consent has no effect on the same client's next consent", arguments: [false, true])
    func earlierConsent(keepsThreeFields: Bool) async throws {
        let device = try await approvedDevice(keepsThreeFields: keepsThreeFields)
        device.transport.isOffline = true
        await device.start().disableTelemetry()
        var settings = device.settings
        settings.telemetryRequested = true
        settings.clientIdentifier = Self.clientId
        device.settings = settings
        device.work.keepConsent(of: Self.clientId)
        device.work.addRegistration(of: Self.clientId)
        device.transport.isOffline = false
        let service = await device.restart()
        #expect(service.status == .pendingApproval)
        #expect(service.settings.clientIdentifier == Self.clientId)
        #expect(try await device.transport.store.countEvents() == 0)
    }

    @Test("A backup is repeated if another process changed the settings while it was made")
    func backupRace() async throws {
        var state = StoredConsent(SettingsDocument(settings: TelemetryFixtures.approvedSettings))
        let previous = state.settings
        state.handle(.optedOut(used: nil))
        state.noteBackup(of: previous)
        #expect(state.needsBackup)
        state.work.backup = .holds(previous)
        #expect(state.needsBackup, "the backup's settings are older")
        state.work.backup = .holds(.defaults)
        #expect(!state.needsBackup)
    }

    @Test("A deletion ends when its client is restored from a backup")
    func restored() async throws {
        var state = StoredConsent(SettingsDocument(settings: TelemetryFixtures.approvedSettings))
        let backup = StoredConsent(state.document, work: state.backedUpWork)
        state.handle(.optedOut(used: nil))
        state.work.backup = .holds(state.settings)
        state.handle(.restored(backup))
        #expect(state.settings == backup.settings)
        #expect(!state.hasUnfinishedOptOut)
        #expect(state.work.deletions.map(\.endsOnReturn) == [true])
        state.handle(.optedOut(used: nil))
        #expect(state.work.deletions.map(\.endsOnReturn) == [false])
    }
}

struct PendingWorkDefaultsTests {
    @Test("By default a settings store that can keep pending work keeps it")
    func settingsStore() {
        let memory = InMemoryTelemetrySettingsStore()
        let file = FileTelemetrySettingsStore(directory: URL(filePath: "/nowhere"))
        let stores: [any TelemetrySettingsStoring] = [memory, file, ThreeFieldsStore()]
        let kept = stores.map(\.pendingWorkStore)
        #expect((kept[0] as? InMemoryTelemetrySettingsStore) === memory)
        #expect((kept[1] as? FileTelemetrySettingsStore) === file)
        #expect(kept[2] == nil)
    }

    @Test("With another settings store, pending work is in the platform's default store")
    func platformDefault() {
        let store = PlatformDefaults(.init(), store: nil, sharesSettings: true).pendingWorkStore()
        #if canImport(Darwin)
        #expect(store is UserDefaultsTelemetryPendingWorkStore)
        #else
        #expect(store is FileTelemetryPendingWorkStore)
        #endif
    }
}
