import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Vetoes and pauses of two processes of an app that share their stores.
@MainActor
struct SharedControlsTests {
    private let root = TemporaryDirectory()
    private let transport = MockTelemetryTransport()

    /// A started process of the approved client, with its own objects for the stores' files.
    private func start() async throws -> (service: TelemetryLifecycleService, logger: MockTelemetryLogger) {
        let logger = MockTelemetryLogger()
        let service = TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: root.url), transport: transport,
            configuration: .init(reconcileInterval: nil, clock: ManualClock(), now: { TelemetryFixtures.date }),
            logger: logger, scenarioStore: FileTelemetryScenarioStore(directory: root.url))
        await service.startup()
        await service.restorationFinished()
        try #require(service.status == .enabled)
        try await service.registerScenarios(["A", "B"])
        return (service, logger)
    }

    private func approve() async throws {
        // Without notifications, a process reads commands only when the test reconciles it.
        transport.fail(.saveSubscription, times: .max)
        await FileTelemetrySettingsStore(directory: root.url).save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
    }

    /// Reconciles a service; `meanwhile` runs after the service has begun and before it reads its commands.
    private func reconcile(_ service: TelemetryLifecycleService, meanwhile: () async -> Void) async {
        transport.hold(.records)
        async let reconciled = service.reconcile()
        await transport.held(.records)
        await meanwhile()
        transport.release(.records)
        _ = await reconciled
    }

    private var record: TelemetryClientRecord? {
        get async throws { try await transport.store.fetchTelemetryClients(clientId: TelemetryFixtures.clientId).first }
    }

    @Test("A veto in one process is in effect in the other after its next reconciliation, and so is its end")
    func veto() async throws {
        try await approve()
        let (first, second) = try await (start(), start())
        for process in [first, second] { try await process.service.setScenarioEnabled("A", enabled: true) }
        await first.service.setScenarioAllowed("A", allowed: false)
        await second.service.reconcile()
        #expect(second.service.deniedScenarios == ["A"])
        #expect(second.service.scenarioStates == ["A": false, "B": false])
        #expect(await second.logger.scenarioStates == ["A": false, "B": false])
        await #expect(throws: TelemetryTransportError.self) {
            try await second.service.setScenarioEnabled("A", enabled: true)
        }
        // Also after changes in the other direction.
        await second.service.setScenarioAllowed("B", allowed: false)
        await first.service.setScenarioAllowed("A", allowed: true)
        await second.service.reconcile()
        #expect(second.service.deniedScenarios == ["B"] && first.service.deniedScenarios == ["B"])
        #expect(second.service.scenarioStates == ["A": true, "B": false])
        await second.service.shutdown()
        await first.service.shutdown()
    }

    @Test("A command of a viewer is rejected in a process after a veto in another one")
    func command() async throws {
        try await approve()
        let (first, second) = try await (start(), start())
        await first.service.setScenarioAllowed("A", allowed: false)
        await first.service.shutdown()
        try await transport.store.createCommand(
            TelemetryFixtures.command(.enableScenario, commandId: "1", scenarioName: "A"))
        await second.service.reconcile()
        #expect(try await transport.store.fetchCommand(recordID: .command("1"))?.status == .rejected)
        await second.service.shutdown()
    }

    @Test("A pause in one process stops the other at its next reconciliation; the record keeps saying so")
    func pause() async throws {
        try await approve()
        let (first, second) = try await (start(), start())
        await first.service.pauseTelemetry()
        await second.service.reconcile()
        #expect(second.service.isPaused)
        #expect(await second.logger.isEnabled == false)
        #expect(try await record?.isPaused == true)
        await second.service.resumeTelemetry()
        #expect(try await record?.isPaused == false)
        await first.service.reconcile()
        #expect(!first.service.isPaused)
        #expect(await first.logger.isEnabled == true)
        #expect(try await record?.isPaused == false)
        await first.service.shutdown()
        await second.service.shutdown()
    }

    @Test("A pause and a veto in one process hold for commands that the other one is about to execute")
    func meanwhile() async throws {
        try await approve()
        let (first, second) = try await (start(), start())
        try await transport.store.createCommand(TelemetryFixtures.command(.pause, commandId: "1"))
        await second.service.reconcile()
        try #require(second.service.isPaused)
        for (id, action) in [("2", TelemetrySchema.CommandAction.resume), ("3", .enableScenario)] {
            try await transport.store.createCommand(
                TelemetryFixtures.command(action, commandId: id, scenarioName: action == .resume ? nil : "A"))
        }
        await reconcile(second.service) {
            await first.service.pauseTelemetry()
            await first.service.setScenarioAllowed("A", allowed: false)
        }
        for id in ["2", "3"] {
            #expect(try await transport.store.fetchCommand(recordID: .command(id))?.status == .rejected)
        }
        await first.service.reconcile()
        #expect(first.service.isPaused && second.service.isPaused)
        #expect(second.service.deniedScenarios == ["A"] && second.service.scenarioStates["A"] == false)
        await first.service.shutdown()
        await second.service.shutdown()
    }

    @Test("A viewer's pause keeps the pause of another process")
    func bothPauses() async throws {
        try await approve()
        let (first, second) = try await (start(), start())
        try await transport.store.createCommand(TelemetryFixtures.command(.pause, commandId: "1"))
        await reconcile(second.service) { await first.service.pauseTelemetry() }
        #expect(second.service.overview.isPausedByHost && second.service.overview.isPausedByViewer)
        await first.service.reconcile()
        #expect(first.service.overview.isPausedByHost && first.service.overview.isPausedByViewer)
        await first.service.shutdown()
        await second.service.shutdown()
    }

    @Test("With a store that keeps only which scenarios are on, a veto and a pause last as long as the process")
    func plainStore() async throws {
        let host = try await TestHost.approved(scenarioStore: PlainScenarioStore())
        await host.service.setScenarioAllowed("A", allowed: false)
        await host.service.pauseTelemetry()
        await host.service.reconcile()
        #expect(host.service.deniedScenarios == ["A"] && host.service.isPaused)
        await host.service.setScenarioAllowed("A", allowed: true)
        await host.service.resumeTelemetry()
        await host.service.reconcile()
        #expect(host.service.deniedScenarios.isEmpty && !host.service.isPaused)
    }
}

/// Keeps only whether scenarios are on.
private actor PlainScenarioStore: TelemetryScenarioStoring {
    private var states: [String: Bool] = [:]

    func loadState(for scenarioName: String) async -> Bool? { states[scenarioName] }
    func loadAllStates() async -> [String: Bool] { states }
    func saveState(for scenarioName: String, isEnabled: Bool) async { states[scenarioName] = isEnabled }
    func removeState(for scenarioName: String) async { states[scenarioName] = nil }
    func removeAllStates() async { states = [:] }
}
