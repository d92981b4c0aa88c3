import Foundation
import Observation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// What a host can show to the user.
@MainActor
struct OverviewTests {
    @Test("Before an opt-in the overview shows the registered scenarios, and no client")
    func before() async throws {
        let host = try await TestHost()
        await host.comeUp()
        try await host.service.registerScenarios(["B", "A"])
        let overview = host.service.overview
        #expect(overview.status == .disabled && overview.clientIdentifier == nil && !overview.isPaused)
        #expect(overview.scenarios.map(\.name) == ["A", "B"])
        #expect(overview.scenarios.allSatisfy { $0.state == TelemetryScenarioState() && $0.timeLeft == nil })
        #expect(overview.sentToday == nil, "the logger is not the library's")
        #expect(host.transport.calls.isEmpty)
    }

    @Test("A scenario has its level, the time left and who asked for it")
    func scenario() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B", "C"])
        try await host.transport.store.createCommand(
            TelemetryCommandRecord(
                clientId: TestHost.clientId, action: .enableScenario, scenarioName: "A", level: .info, lease: 600))
        try await host.service.setScenarioEnabled("B", enabled: true)
        await host.service.reconcile()
        host.wall.date += 90
        let scenarios = host.service.overview.scenarios
        #expect(
            scenarios.map(\.state) == [
                TelemetryScenarioState(isEnabled: true, level: .info, expires: TelemetryFixtures.date + 600, source: .viewer),
                TelemetryScenarioState(isEnabled: true, source: .host), TelemetryScenarioState(),
            ])
        #expect(scenarios.map(\.timeLeft) == [510, nil, nil])
        #expect(host.service.overview.clientIdentifier == TestHost.clientId)
        #expect(host.service.overview.status == .enabled)
    }

    @Test("The flight recorder is shown while it records: not before the approval, and not during a pause")
    func recorder() async throws {
        func shown(_ host: RecordingHost) -> [Bool] { host.service.overview.scenarios.map(\.isRecordedWhileOff) }
        #expect(try await shown(RecordingHost(isApproved: false)) == [false, false])
        let host = try await RecordingHost()
        #expect(shown(host) == [true, true])
        await host.service.setScenarioAllowed("Net", allowed: false)
        #expect(shown(host) == [true, false])
        await host.service.pauseTelemetry()
        #expect(shown(host) == [false, false])
    }

    @Test("A forbidden scenario is shown although it is not registered")
    func forbidden() async throws {
        let host = try await TestHost.approved(policy: TelemetryPolicy(recordedScenarios: ["A", "C"]))
        try await host.service.registerScenarios(["B"])
        await host.service.setScenarioAllowed("A", allowed: false)
        let scenarios = host.service.overview.scenarios
        #expect(scenarios.map(\.name) == ["A", "B", "C"])
        #expect(scenarios.map(\.isForbidden) == [true, false, false])
    }

    @Test("The overview shows who paused")
    func pause() async throws {
        let host = try await TestHost.approved()
        try await host.command(.pause, id: "1")
        await host.service.reconcile()
        #expect(host.service.overview.isPausedByViewer && !host.service.overview.isPausedByHost)
        await host.service.pauseTelemetry()
        #expect(host.service.overview.isPausedByViewer && host.service.overview.isPausedByHost)
        #expect(host.service.overview.isPaused)
        await host.service.resumeTelemetry()
        #expect(!host.service.overview.isPaused)
    }

    @Test("The overview counts what was sent since midnight")
    func sent() async throws {
        let transport = MockTelemetryTransport()
        let wall = Wall()
        var logging = TelemetryLogger.Configuration()
        logging.calendar = Calendar(identifier: .gregorian)
        logging.calendar.timeZone = .gmt
        let logger = TelemetryLogger(
            configuration: logging, transport: transport, clock: ManualClock(), now: { wall.date })
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let service = TelemetryLifecycleService(
            settingsStore: settings, transport: transport,
            configuration: .init(reconcileInterval: nil, clock: ManualClock(), now: { wall.date }), logger: logger,
            scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        #expect(service.overview.sentToday?.events == 0)
        for _ in 1...3 { logger.logEvent(name: "event") }
        await logger.flush()
        let sent = try #require(service.overview.sentToday)
        #expect(sent.events == 3 && sent.bytes > 15)
        wall.date += 86_400
        #expect(service.overview.sentToday?.events == 0)
        await service.shutdown()
    }

    @Test("The overview shows whether the session is marked, and which ended sessions were logged")
    func sessions() async throws {
        #expect(try await !TestHost.approved().service.overview.isSessionMarked, "the logger is not the library's")
        var status = TelemetrySessionStatus()
        status.isMarked = true
        status.reported = [
            .init(session: "s1", end: "signal", signal: "SIGSEGV", lastActive: TelemetryFixtures.date, appVersion: "2.1")
        ]
        let service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: MockTelemetryTransport(),
            configuration: .init(reconcileInterval: nil, clock: ManualClock()),
            logger: SimulatedLogger(name: "session", sessions: status), scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        let overview = service.overview
        #expect(overview.isSessionMarked)
        let ended = try #require(overview.endedSessions.first)
        #expect(ended.id == "s1" && ended.end == "signal" && ended.signal == "SIGSEGV" && ended.appVersion == "2.1")
        #expect(ended.lastActive == TelemetryFixtures.date && overview.endedSessions.count == 1)
        await service.shutdown()
    }

    @Test("Observation of the overview reports a change")
    func observation() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        await confirmation { changed in
            withObservationTracking {
                _ = host.service.overview
            } onChange: {
                changed()
            }
            await host.service.pauseTelemetry()
        }
        await confirmation { changed in
            withObservationTracking {
                _ = host.service.overview
            } onChange: {
                changed()
            }
            await host.service.setScenarioAllowed("A", allowed: false)
        }
    }
}
