import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Time limits of calls that wait for other operations.
@MainActor
struct TimeLimitTests {
    @Test("A call that waits for a periodic reconciliation returns within the time limit", .timeLimit(.minutes(10)))
    func behindBackground() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true, interval: .seconds(1))
        host.transport.hold(.record)
        await host.service.startup()
        await host.transport.held(.record)
        await host.clock.sleepers(atLeast: 2)
        // The next reconciliation is due while startup hangs, and queues before the call.
        host.clock.advance(by: .seconds(1))
        await host.clock.sleepers(atLeast: 2)
        let looked = Task { await host.service.reconcile() }
        await Task {}.value
        host.clock.advance(by: .seconds(9))
        await host.transport.called(.record, atLeast: 2)
        await host.clock.sleepers(atLeast: 2)
        host.clock.advance(by: .seconds(1))
        #expect(await looked.value == nil)
        host.transport.release(.record)
    }

    @Test("A hanging deletion does not prevent a new opt-in")
    func optInDuringDeletion() async throws {
        let host = try await TestHost(identifiers: ["firstclient", "secondclient"])
        await host.service.enableTelemetry()
        host.transport.hold(.deleteEvents)
        async let off = host.service.disableTelemetry()
        await host.transport.called(.deleteEvents)
        await host.clock.sleepers(atLeast: 1)
        host.clock.advance(by: .seconds(10))
        _ = await off
        async let on = host.service.enableTelemetry()
        await host.transport.called(.deleteEvents, atLeast: 2)
        await host.clock.sleepers(atLeast: 1)
        host.clock.advance(by: .seconds(10))
        #expect(await on.clientIdentifier == "secondclient")
        #expect(host.service.status == .pendingApproval)
        #expect(try await host.transport.store.fetchTelemetryClients(clientId: "secondclient").count == 1)
        host.transport.release(.deleteEvents)
        await host.service.reconcile()
        await host.service.reconcile()
        #expect(!host.service.hasPendingWork)
    }

    @Test("The longest durations mean never")
    func never() async throws {
        let transport = InMemoryTelemetryTransport()
        let service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport,
            configuration: .init(operationTimeout: .seconds(Int64.max), reconcileInterval: .seconds(Int64.max)),
            logger: MockTelemetryLogger(), scenarioStore: InMemoryTelemetryScenarioStore())
        await service.enableTelemetry()
        #expect(service.status == .pendingApproval)
        await service.shutdown()
    }

    @Test("An operation does not end the time limit of a running shutdown", .timeLimit(.minutes(10)))
    func duringShutdown() async {
        let clock = ManualClock()
        let logger = EndlessLogger()
        func makeService() -> TelemetryLifecycleService {
            TelemetryLifecycleService(
                settingsStore: InMemoryTelemetrySettingsStore(), transport: InMemoryTelemetryTransport(),
                configuration: .init(operationTimeout: .seconds(10), reconcileInterval: nil, clock: clock), logger: logger,
                scenarioStore: InMemoryTelemetryScenarioStore())
        }
        let service = makeService()
        let ended = Task { await service.shutdown() }
        await logger.gate.waiters()
        let looked = Task { await service.reconcile() }
        // The same operation of another service, called later, completes. Without its turn to wait for, this one would have too.
        _ = await Task { await makeService().reconcile() }.value
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        await ended.value
        #expect(await looked.value == .allDisabled)
    }
}

/// A logger whose shutdown does not end by itself.
private actor EndlessLogger: TelemetryLogging {
    nonisolated let currentSessionId = "endless"
    nonisolated let gate = TestGate()

    init() { gate.close() }

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {}
    func setClientIdentifier(_ clientId: String?) async {}
    func updateScenarioStates(_ states: [String: Bool]) async {}
    func activate(enabled: Bool) async {}
    func setEnabled(_ enabled: Bool) async {}
    func flush() async {}
    func shutdown() async { try? await gate.pass() }
}
