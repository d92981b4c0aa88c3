import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Pending work of version 1, in the settings or in a scenario's name, is moved to its own store once.
@MainActor
struct PendingWorkTakeoverTests {
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

    private func writeVersion1(registration: Bool, requested: Bool, client: String?) throws {
        let identifier = client.map { #""clientIdentifier": "\#($0)","# } ?? ""
        try Data(
            """
            {\(identifier) "telemetryRequested": \(requested), "telemetrySendingEnabled": false, "optOuts": 3,
             "obligations": {"registration": \(registration), "backup": false, "cleanups": [{"clientId": "left"}]}}
            """.utf8
        ).write(to: file("settings.json"))
    }

    @Test("Work in the settings of version 1 is moved at the first start, even offline")
    func settings() async throws {
        try writeVersion1(registration: false, requested: false, client: nil)
        transport.isOffline = true
        _ = await start()
        #expect(await storedWork.deletions.map(\.clientId) == ["left"])
        #expect(try !text("settings.json").contains("obligations"))
        #expect(try text("settings.json").contains(#""optOuts" : 3"#))
        try await transport.store.createTelemetryClient(TelemetryFixtures.client("left", isEnabled: true))
        transport.isOffline = false
        _ = await start()
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
        #expect(await storedWork.isEmpty)
    }

    @Test("A registration is also kept in the settings until the record exists, for a concurrent version 1")
    func registration() async throws {
        try writeVersion1(registration: true, requested: true, client: Self.clientId)
        transport.isOffline = true
        _ = await start()
        #expect(await storedWork.registrations == [Self.clientId])
        let stored = await FileTelemetrySettingsStore(directory: root.url).load()
        #expect(stored.embeddedWork == TelemetryPendingWork(registrations: [Self.clientId]))
        transport.isOffline = false
        let service = await start()
        #expect(service.status == .pendingApproval)
        #expect(try await transport.store.fetchTelemetryClients().map(\.clientId) == [Self.clientId])
        #expect(try !text("settings.json").contains("obligations"))
        #expect(await storedWork.isEmpty)
        // The registration does not come back: a deleted record stays deleted.
        try await transport.store.deleteTelemetryClient(recordID: .client(Self.clientId))
        let result = await service.reconcile()
        #expect(result == .missingClient || result == .allDisabled)
        #expect(service.status == .disabled)
    }

    @Test("Work that version 1 stores while this version runs is moved too")
    func beside() async throws {
        let service = await start()
        await FileTelemetrySettingsStore(directory: root.url).update { $0.embeddedWork.add(.init(clientId: "left")) }
        try await transport.store.createTelemetryClient(TelemetryFixtures.client("left", isEnabled: true))
        await service.reconcile()
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
        #expect(try !text("settings.json").contains("obligations"))
    }

    @Test("After a kill at any change of the takeover, the work is done once", arguments: [false, true], 0...3)
    func killed(isNote: Bool, changes: Int) async throws {
        let device = MortalDevice(keepsThreeFields: isNote)
        let end = TelemetryFixtures.date
        device.settings = TelemetryFixtures.approvedSettings
        if isNote {
            let note = #"{"backup":false,"cleanups":[{"clientId":"left"}],"registration":false}"#
            device.scenarioStates = ["A": true, "telemetry.obligations:\(note)": true]
        } else {
            device.settings.embeddedWork = TelemetryPendingWork(
                deletions: [.init(clientId: "left"), .init(clientId: Self.clientId, sessionEnd: end)])
        }
        try await device.transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        try await device.transport.store.createTelemetryClient(TelemetryFixtures.client("left", isEnabled: true))
        device.transport.isOffline = true
        let killed = device.start(changes: changes)
        await killed.startup()
        await killed.restorationFinished()
        let again = device.start()
        await again.startup()
        await again.restorationFinished()
        #expect(device.work.deletions.count == (isNote ? 1 : 2))
        #expect(device.settings.embeddedWork.isEmpty)
        #expect(device.scenarioStates == (isNote ? ["A": true] : [:]))
        device.transport.isOffline = false
        _ = await device.restart()
        #expect(try await device.transport.store.fetchTelemetryClients().map(\.clientId) == [Self.clientId])
        #expect(device.work.isEmpty)
        #expect(device.settings == TelemetryFixtures.approvedSettings)
    }

    @Test("An unreadable note is removed; scenarios are kept")
    func unreadableNote() async throws {
        await FileTelemetryScenarioStore(directory: root.url).saveState(for: "telemetry.obligations:{", isEnabled: true)
        await FileTelemetryScenarioStore(directory: root.url).saveState(for: "A", isEnabled: true)
        _ = await start()
        #expect(await FileTelemetryScenarioStore(directory: root.url).loadAllStates() == ["A": true])
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
        #expect(try !text("settings.json").contains("obligations"))
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
