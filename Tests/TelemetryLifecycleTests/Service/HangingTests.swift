import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Calls of the store do not return, even if they are cancelled.
@MainActor
struct HangingTests {
    private let transport = HangingTransport()
    private let settingsStore = InMemoryTelemetrySettingsStore()
    private let logger = MockTelemetryLogger()
    private let clock = ManualClock()

    private func makeService(identifiers: [String] = [TestHost.clientId]) -> TelemetryLifecycleService {
        TelemetryLifecycleService(
            settingsStore: settingsStore, transport: transport,
            identifierGenerator: FixedIdentifierGenerator(identifiers: identifiers),
            configuration: .init(
                operationTimeout: .seconds(10), reconcileInterval: nil, clock: clock, now: { TelemetryFixtures.date }),
            logger: logger, scenarioStore: InMemoryTelemetryScenarioStore())
    }

    private func approvedService() async throws -> TelemetryLifecycleService {
        await settingsStore.save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let service = makeService()
        await service.startup()
        await service.restorationFinished()
        return service
    }

    /// Advances the clock to the deadline once the store's calls hang.
    private func timeOut(calls: Int = 1) async {
        await transport.hanging(atLeast: calls)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
    }

    @Test("An opt-in returns within the time limit, and is stored")
    func enable() async throws {
        let service = makeService()
        transport.hang()
        async let settings = service.enableTelemetry()
        await timeOut()
        #expect(await settings == TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId))
        #expect(service.status.errorMessage != nil)
        transport.letGo()
        #expect(await service.reconcile() == .pendingApproval)
    }

    @Test("Every call returns within the time limit, and local state keeps working")
    func everyCall() async throws {
        let service = try await approvedService()
        transport.hang()

        let registered = Task { try await service.registerScenarios(["A"]) }
        await timeOut()
        try await registered.value
        #expect(service.scenarioStates == ["A": false])

        let switched = Task { try await service.setScenarioEnabled("A", enabled: true) }
        await timeOut(calls: 2)
        await #expect(throws: TelemetryTransportError.self) { try await switched.value }
        #expect(service.scenarioStates == ["A": true])
        #expect(await logger.scenarioStates == ["A": true])

        async let looked = service.reconcile()
        await timeOut(calls: 3)
        #expect(await looked == nil)
        #expect(service.settings == TelemetryFixtures.approvedSettings)
        #expect(await logger.isEnabled == true)

        let ended = Task { try await service.endSession() }
        await timeOut(calls: 4)
        await #expect(throws: TelemetryTransportError.self) { try await ended.value }
        #expect(service.scenarioStates.isEmpty)

        async let off = service.disableTelemetry()
        await timeOut(calls: 5)
        #expect(await off == .defaults)
        #expect(await logger.isEnabled == false)
        #expect(service.status.errorMessage != nil)

        transport.letGo()
        await service.reconcile()
        await service.reconcile()
        #expect(service.status == .disabled)
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
        #expect(try await transport.store.fetchScenarios().isEmpty)
        #expect(!service.hasPendingWork)
    }

    @Test("A record that is created late, after an opt-out, is deleted at once")
    func lateRecord() async throws {
        // The first query returns; the creation hangs.
        let stubborn = TelemetryLifecycleService(
            settingsStore: settingsStore, transport: HangOnSave(transport),
            identifierGenerator: FixedIdentifierGenerator(TestHost.clientId),
            configuration: .init(operationTimeout: .seconds(10), reconcileInterval: nil, clock: clock), logger: logger,
            scenarioStore: InMemoryTelemetryScenarioStore())
        transport.hang()
        async let on = stubborn.enableTelemetry()
        await timeOut()
        _ = await on
        // Only the creation hangs; the opt-out reaches the store.
        await stubborn.disableTelemetry()
        #expect(await settingsStore.load() == .defaults)
        #expect(stubborn.hasPendingWork, "the hanging call may still take effect")
        try await transport.store.createClientRecordSubscription()
        var changes = transport.store.notifications().makeAsyncIterator()
        transport.letGo()
        for _ in ["creation", "deletion"] { _ = await changes.next() }
        // After the operation that made the deletion.
        await stubborn.reconcile()
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
        #expect(!stubborn.hasPendingWork)
        #expect(stubborn.status == .disabled)
    }

    @Test("Events that are stored late, after an opt-out, are deleted")
    func lateEvents() async throws {
        await settingsStore.save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let logger = TelemetryLogger(transport: transport, clock: clock)
        let service = TelemetryLifecycleService(
            settingsStore: settingsStore, transport: transport,
            configuration: .init(operationTimeout: .seconds(10), reconcileInterval: nil, clock: clock), logger: logger,
            scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        try #require(service.status == .enabled)
        transport.hang()
        logger.logEvent(name: "late")
        async let flushed: Void = logger.flush()
        await transport.hanging()
        transport.letOthersPass()
        async let off = service.disableTelemetry()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(5))
        #expect(await off == .defaults)
        await flushed
        #expect(service.hasPendingWork, "the hanging append may still store its event")
        var arrivals = transport.store.eventArrivals().makeAsyncIterator()
        transport.letGo()
        _ = await arrivals.next()
        #expect(try await transport.store.countEvents() == 1)
        await service.reconcile()
        #expect(try await transport.store.countEvents() == 0)
        await service.shutdown()
    }

    @Test("An opt-out waits for no hanging call, and earlier calls return within one second")
    func optOutIsPrompt() async throws {
        let service = try await approvedService()
        transport.hang()
        async let looked = service.reconcile()
        await transport.hanging()
        let queued = (1...8).map { _ in Task { try? await service.endSession() } }
        async let off = service.disableTelemetry()
        // No time has passed.
        await logger.called(.setClientIdentifier(nil))
        #expect(await logger.isEnabled == false)
        await service.optedOut()
        #expect(await settingsStore.load() == .defaults)
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(1))
        #expect(await looked == nil)
        for call in queued { await call.value }
        transport.letGo()
        #expect(await off == .defaults)
        await service.reconcile()
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
    }

    @Test("Operations that queue after a hanging one return within the time limit, in the order of their calls")
    func queue() async throws {
        let service = try await approvedService()
        transport.hang()
        async let first = service.reconcile()
        await transport.hanging()
        let second = Task { await service.reconcile() }
        let third = Task { await service.disableTelemetry() }
        // The limit of the first one, and the shorter one since the opt-out: all three were called.
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(10))
        #expect(await first == nil)
        #expect(await second.value == .allDisabled, "the opt-out was recorded on the call")
        #expect(await third.value == .defaults)
        transport.letGo()
        await service.reconcile()
        await service.reconcile()
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
    }

    @Test("Cancelling a caller does not interrupt the operation")
    func cancelled() async throws {
        let service = makeService()
        transport.hang()
        let caller = Task { await service.enableTelemetry() }
        await transport.hanging()
        caller.cancel()
        transport.letGo()
        #expect(await caller.value == TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId))
        #expect(service.status == .pendingApproval)
    }

    @Test("Shutdown returns although the store hangs, and leaves no task running")
    func shutdown() async throws {
        let service = try await approvedService()
        transport.hang()
        async let looked = service.reconcile()
        await transport.hanging()
        await service.shutdown()
        #expect(await looked == nil)
        #expect(logger.calls.last == .shutdown)
        #expect(!transport.store.notificationStreams.hasConsumers)
        transport.letGo()
    }

    @Test("A released service leaves no task running")
    func letGo() async throws {
        let ends = transport.watchFollowers()
        var service: TelemetryLifecycleService? = try await approvedService()
        weak let observed = service
        service = nil
        #expect(observed == nil)
        // Its follower ends asynchronously.
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() != nil)
    }
}
