import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The shutdown of a service.
@MainActor
struct ShutdownTests {
    private let clock = ManualClock()

    private func makeService(_ logger: any TelemetryLogging) async throws -> TelemetryLifecycleService {
        let settingsStore = InMemoryTelemetrySettingsStore()
        await settingsStore.save(TelemetryFixtures.approvedSettings)
        let transport = InMemoryTelemetryTransport()
        try await transport.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let service = TelemetryLifecycleService(
            settingsStore: settingsStore, transport: transport,
            configuration: .init(operationTimeout: .seconds(2), reconcileInterval: nil, clock: clock), logger: logger,
            scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        return service
    }

    @Test("Shutdown takes no longer than the time limit, counted from the call", .timeLimit(.minutes(10)))
    func behindLogger() async throws {
        let logger = SlowLogger()
        let service = try await makeService(logger)
        logger.discarding.close()
        logger.ending.close()
        let session = Task { try? await service.endSession() }
        await logger.discarding.waiters()
        let ended = Task { await service.shutdown() }
        await clock.sleepers(atLeast: 1)
        // The logger waits for an append for half of the time limit, as the library's logger does.
        clock.advance(by: .seconds(1))
        logger.discarding.open()
        _ = await session.value
        await logger.ending.waiters()
        clock.advance(by: .seconds(1))
        await ended.value
        #expect(service.status == .idle)
        #expect(clock.sleeperCount == 0)
        logger.ending.open()
    }

    @Test("Shutdown returns within the time limit even if earlier operations do not end", .timeLimit(.minutes(10)))
    func behindEndlessOperations() async throws {
        let logger = SlowLogger()
        let service = try await makeService(logger)
        logger.discarding.close()
        logger.ending.close()
        let sessions = (0..<3).map { _ in Task { try? await service.endSession() } }
        await logger.discarding.waiters()
        let ended = Task { await service.shutdown() }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        await ended.value
        #expect(service.status == .idle)
        #expect(clock.sleeperCount == 0)
        logger.discarding.open()
        logger.ending.open()
        for session in sessions { _ = await session.value }
    }

    @Test("After a shutdown nothing is turned on: a reconciliation returns the state and runs no command")
    func afterwards() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        await host.service.shutdown()
        #expect(host.service.status == .idle)
        try await host.command(.enableScenario, scenario: "A")
        host.transport.forgetCalls()
        #expect(await host.service.reconcile() == nil)
        _ = await host.service.handleRemoteNotification(.init(recordType: TelemetrySchema.commandRecordType))
        await host.service.startup()
        #expect(host.service.status == .idle)
        #expect(await host.logger.isEnabled == false)
        #expect(host.transport.calls.isEmpty)
        #expect(try await host.status() == .pending)
        #expect(host.service.scenarioStates == ["A": false])
    }

    @Test("An opt-in after a shutdown is stored for the next start, and turns nothing on")
    func optInAfterwards() async throws {
        let host = try await TestHost()
        await host.service.startup()
        await host.service.shutdown()
        #expect(await host.service.enableTelemetry().telemetryRequested)
        #expect(host.service.status == .idle)
        #expect(host.transport.calls.isEmpty)
        host.restart()
        await host.comeUp()
        #expect(host.service.status == .pendingApproval)
    }

    @Test("An opt-out after a shutdown is stored, and deletes the client's data in the store")
    func optOutAfterwards() async throws {
        let host = try await TestHost.approved()
        try await host.transport.store.append(TelemetryFixtures.events(1...3))
        await host.service.shutdown()
        #expect(await host.service.disableTelemetry() == .defaults)
        #expect(host.service.status == .disabled)
        #expect(await host.settingsStore.load() == .defaults)
        #expect(try await host.belongings(of: TestHost.clientId) == 0)
        #expect(await host.logger.isEnabled == false)
    }
}

/// A logger that turns off and shuts down slowly.
private actor SlowLogger: TelemetryLogging {
    nonisolated let currentSessionId = "slow"
    nonisolated let discarding = TestGate()
    nonisolated let ending = TestGate()

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {}
    func setClientIdentifier(_ clientId: String?) async {}
    func updateScenarioStates(_ states: [String: Bool]) async {}
    func activate(enabled: Bool) async {}
    func setEnabled(_ enabled: Bool) async { if !enabled { try? await discarding.pass() } }
    func flush() async {}
    func shutdown() async { try? await ending.pass() }
}
