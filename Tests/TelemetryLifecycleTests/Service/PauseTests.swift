import Foundation
import Observation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct PauseTests {
    @Test("The host's pause stops the logger and is in the record, even after a restart; resuming ends it")
    func host() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        await host.service.pauseTelemetry()
        #expect(host.service.isPaused && host.service.status == .enabled)
        #expect(await host.logger.isEnabled == false)
        #expect(try await host.client?.isPaused == true)
        #expect(host.service.scenarioStates == ["A": false])
        #expect(try await host.mirrored() == ["A": false])
        host.restart()
        await host.comeUp()
        #expect(host.service.isPaused)
        #expect(await host.logger.isEnabled == false)
        await host.service.resumeTelemetry()
        #expect(!host.service.isPaused)
        #expect(await host.logger.isEnabled == true)
        #expect(try await host.client?.isPaused == false)
    }

    @Test("A viewer can pause and resume, but cannot end the host's pause; the host ends both")
    func viewer() async throws {
        let host = try await TestHost.approved()
        try await host.command(.pause, id: "1", age: 9)
        await host.service.reconcile()
        #expect(try await host.status(of: "1") == .executed && host.service.isPaused)
        try await host.command(.resume, id: "2", age: 8)
        await host.service.reconcile()
        #expect(try await host.status(of: "2") == .executed && !host.service.isPaused)
        await host.service.pauseTelemetry()
        try await host.command(.pause, id: "3", age: 7)
        await host.service.reconcile()
        try await host.command(.resume, id: "4", age: 6)
        await host.service.reconcile()
        #expect(try await host.status(of: "4") == .rejected && host.service.isPaused)
        #expect(try await host.transport.store.fetchCommand(recordID: .command("4"))?.errorMessage != nil)
        await host.service.resumeTelemetry()
        #expect(!host.service.isPaused)
        #expect(await host.logger.isEnabled == true)
    }

    @Test("A pause has no effect before an opt-in, and ends with an opt-out")
    func nothing() async throws {
        let host = try await TestHost()
        await host.service.pauseTelemetry()
        #expect(!host.service.isPaused && host.transport.calls.isEmpty)
        let approved = try await TestHost.approved()
        await approved.service.pauseTelemetry()
        await approved.service.disableTelemetry()
        #expect(!approved.service.isPaused)
        #expect(await approved.scenarioStore.loadPause() == [])
    }

    @Test("A pause is shown only when no event is recorded any more")
    func shownInEffect() async throws {
        let host = try await RecordingHost()
        let logger = host.logger
        withObservationTracking {
            _ = host.service.isPaused
        } onChange: {
            logger.logEvent(name: "late")
        }
        await host.service.pauseTelemetry()
        #expect(host.service.isPaused)
        await host.service.resumeTelemetry()
        #expect(try await host.stored.isEmpty)
    }

    @Test("Leases expire while telemetry is paused")
    func leases() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        try await host.service.setScenarioEnabled(
            "A", enabled: true, level: .info, expires: TelemetryFixtures.date + 60)
        await host.service.pauseTelemetry()
        host.wall.date += 60
        await host.service.resumeTelemetry()
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["A": false])
    }

    @Test("Buffered events are kept during a pause, and no event is recorded or sent")
    func waiting() async throws {
        let transport = MockTelemetryTransport()
        let logger = TelemetryLogger(transport: transport, clock: ManualClock(), now: { TelemetryFixtures.date })
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let service = TelemetryLifecycleService(
            settingsStore: settings, transport: transport,
            configuration: .init(reconcileInterval: nil, clock: ManualClock(), now: { TelemetryFixtures.date }),
            logger: logger, scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        logger.logEvent(name: "before")
        await service.pauseTelemetry()
        logger.logEvent(name: "meanwhile")
        await logger.flush()
        #expect(try await transport.store.countEvents() == 0)
        await service.resumeTelemetry()
        logger.logEvent(name: "after")
        await logger.flush()
        let stored = try await transport.store.events(matching: .all, after: nil, limit: 10).events
        #expect(stored.map(\.name) == ["before", "after"])
    }

    @Test("A logger that cannot pause is off during a pause, even one that began earlier, and on with its client afterwards")
    func foreign() async throws {
        let (settings, scenarios) = (InMemoryTelemetrySettingsStore(), InMemoryTelemetryScenarioStore())
        await settings.save(TelemetryFixtures.approvedSettings)
        let transport = MockTelemetryTransport()
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        func start(_ logger: MockTelemetryLogger) async -> TelemetryLifecycleService {
            let service = TelemetryLifecycleService(
                settingsStore: settings, transport: transport,
                configuration: .init(reconcileInterval: nil, clock: ManualClock(), now: { TelemetryFixtures.date }),
                logger: logger, scenarioStore: scenarios)
            await service.startup()
            await service.restorationFinished()
            return service
        }
        let logger = MockTelemetryLogger()
        let service = await start(logger)
        await service.pauseTelemetry()
        #expect(logger.calls.last == .setEnabled(false))
        await service.shutdown()
        let next = MockTelemetryLogger()
        let restarted = await start(next)
        #expect(next.calls.contains(.activate(enabled: false)) && !next.calls.contains(.setEnabled(true)))
        await restarted.resumeTelemetry()
        let resumed = next.calls
        #expect(resumed.last == .setEnabled(true))
        let client = TelemetryFixtures.approvedSettings.clientIdentifier
        let last = resumed.last { if case .setClientIdentifier = $0 { true } else { false } }
        #expect(last == .setClientIdentifier(client))
    }
}
