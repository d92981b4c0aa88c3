import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct BeforeConsentTests {
    @Test("Events that were logged before the opt-in are not sent, even if the viewer has already approved the client")
    func loggedBefore() async throws {
        let transport = InMemoryTelemetryTransport()
        try await transport.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let logger = TelemetryLogger(transport: transport)
        let service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport,
            identifierGenerator: FixedIdentifierGenerator(TestHost.clientId),
            configuration: .init(reconcileInterval: nil, clock: ManualClock()),
            logger: logger, scenarioStore: InMemoryTelemetryScenarioStore())
        logger.logEvent(name: "before")
        await service.enableTelemetry()
        #expect(service.status == .enabled)
        logger.logEvent(name: "after")
        await logger.flush()
        #expect(try await transport.fetchAllEvents().map(\.name) == ["after"])
        await service.shutdown()
    }

    @Test("Events that were logged before startup are kept for an approved client")
    func loggedBeforeStart() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true)
        await host.service.enableTelemetry()
        #expect(host.logger.calls.contains(.activate(enabled: true)))
        #expect(!host.logger.calls.contains(.activate(enabled: false)))
    }

    @Test("An opt-out by another process during a reconciliation wins, and its pending deletion is carried out")
    func otherProcess() async throws {
        let host = try await TestHost(
            settings: .init(telemetryRequested: true, clientIdentifier: TestHost.clientId), server: true)
        host.transport.hold(.record)
        async let looked = host.service.reconcile()
        await host.transport.held(.record)
        let offline = MockTelemetryTransport()
        offline.isOffline = true
        let other = TelemetryLifecycleService(
            settingsStore: host.settingsStore, transport: offline,
            configuration: .init(reconcileInterval: nil, clock: ManualClock()),
            logger: MockTelemetryLogger(), scenarioStore: host.scenarioStore)
        await other.disableTelemetry()
        #expect(await host.storedWork.deletions.map(\.clientId) == [TestHost.clientId])
        host.transport.release(.record)
        #expect(await looked == .allDisabled)
        #expect(await host.settingsStore.load() == .defaults)
        #expect(host.service.settings == .defaults)
        #expect(host.service.status == .disabled)
        #expect(await host.logger.isEnabled != true)
        #expect(try await host.belongings(of: TestHost.clientId) == 0, "this process carried out the other one's deletion")
        await other.shutdown()
    }

    @Test(
        "An invalid identifier leaves nothing to delete", arguments: ["", String(repeating: "x", count: 1_025)])
    func impossibleIdentifier(identifier: String) async throws {
        let host = try await TestHost(settings: .init(telemetryRequested: true, clientIdentifier: identifier))
        await host.comeUp()
        #expect(await host.service.disableTelemetry() == .defaults)
        #expect(host.service.status == .disabled)
        #expect(!host.service.hasPendingWork)
    }
}
