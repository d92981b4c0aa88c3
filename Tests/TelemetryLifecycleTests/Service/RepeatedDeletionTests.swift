import Foundation
import Synchronization
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Deletions in a store whose queries lag behind its changes: they are repeated after the consistency delay.
@MainActor
struct RepeatedDeletionTests {
    private let transport = LaggingTransport()
    private let settingsStore = InMemoryTelemetrySettingsStore()
    private let scenarioStore = InMemoryTelemetryScenarioStore()
    private let time = TestTime()
    private let service: TelemetryLifecycleService

    init() async throws {
        let store = transport.store
        try await store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        try await store.createScenarios([TelemetryFixtures.scenario("Network")])
        try await store.append([Self.event("early", at: -10)])
        await settingsStore.save(TelemetryFixtures.approvedSettings)
        service = Self.service(transport, settingsStore, scenarioStore, time)
        await service.startup()
        await service.restorationFinished()
        #expect(service.status == .enabled)
    }

    private static func service(
        _ transport: LaggingTransport, _ settingsStore: InMemoryTelemetrySettingsStore,
        _ scenarioStore: InMemoryTelemetryScenarioStore, _ time: TestTime
    ) -> TelemetryLifecycleService {
        TelemetryLifecycleService(
            settingsStore: settingsStore, transport: transport,
            identifierGenerator: FixedIdentifierGenerator(TestHost.clientId),
            configuration: .init(reconcileInterval: nil, clock: ManualClock(), now: { time.now }),
            logger: MockTelemetryLogger(), scenarioStore: scenarioStore)
    }

    private static func event(_ id: String, at seconds: TimeInterval) -> TelemetryEvent {
        TelemetryEvent(
            eventId: id, clientId: TestHost.clientId, sessionId: "s", name: "n",
            timestamp: TelemetryFixtures.date.addingTimeInterval(seconds))
    }

    private var belongings: Int {
        get async throws {
            let id = TestHost.clientId
            return try await transport.store.countEvents(matching: .init(clientId: id))
                + transport.store.fetchScenarios(forClient: id).count
                + transport.store.fetchTelemetryClients(clientId: id).count
        }
    }

    @Test("Data that queries missed at an opt-out is deleted after the consistency delay, and not before")
    func optOut() async throws {
        transport.isLagging = true
        await service.disableTelemetry()
        #expect(service.status == .disabled)
        #expect(service.settings == .defaults)
        #expect(try await belongings == 3)
        transport.isLagging = false
        time.advance(by: 59)
        let calls = transport.calls
        await service.reconcile()
        #expect(transport.calls == calls)
        time.advance(by: 1)
        await service.reconcile()
        #expect(try await belongings == 0)
        #expect(!service.hasPendingWork)
    }

    @Test("A repeated deletion is remembered across a restart")
    func restart() async throws {
        transport.isLagging = true
        await service.disableTelemetry()
        await service.shutdown()
        transport.isLagging = false
        time.advance(by: 60)
        let next = Self.service(transport, settingsStore, scenarioStore, time)
        await next.startup()
        await next.restorationFinished()
        #expect(try await belongings == 0)
        #expect(next.status == .disabled)
        #expect(await settingsStore.loadPendingWork().isEmpty)
    }

    @Test("A clock that was set back does not prevent the repeated deletion")
    func clockSetBack() async throws {
        transport.isLagging = true
        await service.disableTelemetry()
        transport.isLagging = false
        time.advance(by: -3_600)
        await service.reconcile()
        #expect(try await belongings == 0)
    }

    @Test("An impossible date neither traps nor prevents the repeated deletion", arguments: [1e20, .infinity, .nan])
    func impossibleDate(seconds: TimeInterval) async throws {
        transport.isLagging = true
        await service.disableTelemetry()
        transport.isLagging = false
        time.advance(by: seconds)
        await service.reconcile()
        #expect(try await belongings == 0)
    }

    @Test("A client that opts in again meanwhile keeps its new data")
    func comesBack() async throws {
        await service.disableTelemetry()
        #expect(try await belongings == 0)
        await service.enableTelemetry()
        #expect(service.status == .pendingApproval)
        try await service.registerScenarios(["Network"])
        time.advance(by: 60)
        await service.reconcile()
        #expect(try await belongings == 2)
        #expect(!service.hasPendingWork)
    }

    @Test("Events that queries missed at a viewer's deletion are deleted later; newer ones are kept")
    func deleteEvents() async throws {
        try await transport.store.createCommand(TelemetryFixtures.command(.deleteEvents))
        let id = TelemetryRecord.ID.command(TelemetryFixtures.command(.deleteEvents).commandId)
        await service.reconcile()
        #expect(try await transport.store.fetchCommand(recordID: id)?.status == .executed)
        // As if the first deletion had missed an event from before the command.
        try await transport.store.append([Self.event("hidden", at: -1), Self.event("since", at: 1)])
        time.advance(by: 60)
        await service.reconcile()
        #expect(try await transport.store.fetchAllEvents().map(\.eventId) == ["since"])
        #expect(try await transport.store.fetchScenarios(forClient: TestHost.clientId).count == 1)
        #expect(!service.hasPendingWork)
    }

    @Test("Data that queries missed at the end of a session is deleted later; newer data is kept")
    func endSession() async throws {
        transport.isLagging = true
        try await service.endSession()
        transport.isLagging = false
        try await service.registerScenarios(["Checkout"])
        try await transport.store.append([Self.event("since", at: 1)])
        time.advance(by: 60)
        await service.reconcile()
        #expect(try await transport.store.fetchAllEvents().map(\.eventId) == ["since"])
        #expect(try await transport.store.fetchScenarios(forClient: TestHost.clientId).map(\.scenarioName) == ["Checkout"])
        #expect(!service.hasPendingWork)
    }
}

/// A date that a test moves.
private final class TestTime: Sendable {
    private let date = Mutex(TelemetryFixtures.date)
    var now: Date { date.withLock { $0 } }
    func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }
}
