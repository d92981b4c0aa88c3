import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Pending work is stored in its own file. What could only be embedded in the settings is moved there.
@MainActor
struct EmbeddedWorkTests {
    private nonisolated static let clientId = TelemetryFixtures.clientId

    private let root = TemporaryDirectory()
    private let transport = MockTelemetryTransport()

    init() throws { try FileManager.default.createDirectory(at: root.url, withIntermediateDirectories: true) }

    private func file(_ name: String) -> URL { root.url.appending(path: name) }
    private func text(_ name: String) throws -> String { String(decoding: try Data(contentsOf: file(name)), as: UTF8.self) }
    private var storedWork: TelemetryPendingWork {
        get async { await FileTelemetryPendingWorkStore(directory: root.url).loadPendingWork() }
    }

    private func start(
        _ diagnostics: TelemetryDiagnosticsHandler? = nil, pendingWorkStore: (any TelemetryPendingWorkStoring)? = nil
    ) async -> TelemetryLifecycleService {
        var configuration = TelemetryLifecycleService.Configuration(
            operationTimeout: .seconds(10), reconcileInterval: nil, clock: ManualClock(), now: { TelemetryFixtures.date })
        configuration.diagnostics = diagnostics
        let service = TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: root.url, diagnostics: diagnostics), transport: transport,
            configuration: configuration, logger: MockTelemetryLogger(),
            scenarioStore: FileTelemetryScenarioStore(directory: root.url), pendingWorkStore: pendingWorkStore)
        await service.startup()
        await service.restorationFinished()
        return service
    }

    @Test("Work that is embedded in the settings while the service runs is moved and done")
    func beside() async throws {
        let service = await start()
        await FileTelemetrySettingsStore(directory: root.url).changeDocument {
            $0.embeddedWork.add(.init(clientId: "left"))
        }
        try await transport.store.createTelemetryClient(TelemetryFixtures.client("left", isEnabled: true))
        await service.reconcile()
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
        #expect(try !text("settings.json").contains("embeddedWork"))
    }

    @Test("After a kill at any change while embedded work is moved, the work is done once", arguments: 0...3)
    func killed(changes: Int) async throws {
        let device = MortalDevice()
        device.settings = TelemetryFixtures.approvedSettings
        device.document.embeddedWork = TelemetryPendingWork(
            deletions: [.init(clientId: "left"), .init(clientId: Self.clientId, sessionEnd: TelemetryFixtures.date)])
        try await device.transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        try await device.transport.store.createTelemetryClient(TelemetryFixtures.client("left", isEnabled: true))
        device.transport.isOffline = true
        let killed = device.start(changes: changes)
        await killed.startup()
        await killed.restorationFinished()
        let again = device.start()
        await again.startup()
        await again.restorationFinished()
        #expect(device.work.deletions.count == 2)
        #expect(device.document.embeddedWork.isEmpty)
        device.transport.isOffline = false
        _ = await device.restart()
        #expect(try await device.transport.store.fetchTelemetryClients().map(\.clientId) == [Self.clientId])
        #expect(device.work.isEmpty)
        #expect(device.settings == TelemetryFixtures.approvedSettings)
    }

    @Test("An opt-out stores pending work in its own file, not in the settings")
    func files() async throws {
        await FileTelemetrySettingsStore(directory: root.url).save(TelemetryFixtures.approvedSettings)
        transport.isOffline = true
        await start().disableTelemetry()
        let stored = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file("settings.json"))) as? [String: Any])
        #expect(Set(stored.keys) == ["telemetryRequested", "telemetrySendingEnabled", "optOuts"])
        #expect(await storedWork.deletions.map(\.clientId) == [Self.clientId])
    }

    @Test("An unreadable file of pending work is set aside and reported, and the service keeps working")
    func corrupt() async throws {
        await FileTelemetrySettingsStore(directory: root.url).save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        try Data("{".utf8).write(to: file("pending-work.json"))
        let diagnostics = Diagnostics()
        let service = await start { diagnostics.append($0) }
        #expect(service.status == .enabled)
        #expect(diagnostics.all.map(\.kind) == [.corruptFile])
        #expect(try text("pending-work.corrupt.json") == "{")
    }

    @Test("If the pending work cannot be written, a deletion is kept in the settings, and moved later")
    func unwritable() async throws {
        await FileTelemetrySettingsStore(directory: root.url).save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        try FileManager.default.createDirectory(at: file("pending-work.lock"), withIntermediateDirectories: false)
        transport.isOffline = true
        await start().disableTelemetry()
        try FileManager.default.removeItem(at: file("pending-work.lock"))
        _ = await start()
        #expect(await storedWork.deletions.map(\.clientId) == [Self.clientId])
        transport.isOffline = false
        _ = await start()
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
        #expect(await storedWork.isEmpty)
        #expect(try !text("settings.json").contains("embeddedWork"))
    }

    @Test("If the pending work cannot be written, an opt-in keeps its registration in the settings, also across a restart")
    func unregistered() async throws {
        try FileManager.default.createDirectory(at: file("pending-work.lock"), withIntermediateDirectories: false)
        transport.isOffline = true
        await start().enableTelemetry()
        try FileManager.default.removeItem(at: file("pending-work.lock"))
        transport.isOffline = false
        let again = await start()
        #expect(again.status == .pendingApproval)
        #expect(try await transport.store.fetchTelemetryClients().map(\.clientId) == [again.settings.clientIdentifier])
        #expect(try !text("settings.json").contains("embeddedWork"))
    }

    @Test("Embedded work that is done ends, although the pending work still cannot be written")
    func embeddedIsDone() async throws {
        await FileTelemetrySettingsStore(directory: root.url).save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        try FileManager.default.createDirectory(at: file("pending-work.lock"), withIntermediateDirectories: false)
        let service = await start()
        await service.disableTelemetry()
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
        #expect(!service.hasPendingWork)
        #expect(try !text("settings.json").contains("embeddedWork"))
    }

    @Test("A host's own store keeps the pending work, and no file is written")
    func ownStore() async throws {
        await FileTelemetrySettingsStore(directory: root.url).save(TelemetryFixtures.approvedSettings)
        transport.isOffline = true
        let own = InMemoryTelemetryPendingWorkStore()
        await start(pendingWorkStore: own).disableTelemetry()
        #expect(await own.loadPendingWork().deletions.map(\.clientId) == [Self.clientId])
        #expect(!FileManager.default.fileExists(atPath: file("pending-work.json").path(percentEncoded: false)))
    }
}
