import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The policy's budget.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct BudgetTests {
    private let transport = MockTelemetryTransport()
    private let scenarioStore = InMemoryTelemetryScenarioStore()
    private let wall = Wall()
    private let diagnostics = Diagnostics()

    /// An approved service whose scenario "A" is on, with the library's logger.
    private func makeService(_ budget: TelemetryPolicy.Budget) async throws -> TelemetryLifecycleService {
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let (clock, now) = (ManualClock(), { @Sendable [wall] in wall.date })
        let service = TelemetryLifecycleService(
            settingsStore: settings, transport: transport,
            configuration: .init(
                reconcileInterval: nil, clock: clock, now: now, diagnostics: { [diagnostics] in diagnostics.append($0) },
                policy: TelemetryPolicy(budget: budget)),
            logger: TelemetryLogger(transport: transport, clock: clock, now: now), scenarioStore: scenarioStore)
        await service.startup()
        await service.restorationFinished()
        try await service.registerScenarios(["A", "B"])
        try await service.setScenarioEnabled("A", enabled: true)
        return service
    }

    private func log(_ count: Int, to service: TelemetryLifecycleService) {
        for _ in 0..<count { service.telemetryLogger.logEvent(name: "e", scenario: "A") }
    }

    private var stored: [String] {
        get async throws {
            let events = try await transport.store.events(matching: .all, after: nil, limit: 100).events
            return events.map { event in
                event.attributes["suppressed"]?.intValue.map { "\(event.name) \($0)" } ?? event.name
            }
        }
    }

    private let budget = TelemetryPolicy.Budget(events: 2, per: .seconds(10))

    /// A service whose scenario "A" is suspended after three calls, and the end of the suspension.
    private func makeSuspended() async throws -> (service: TelemetryLifecycleService, end: Date) {
        let service = try await makeService(budget)
        let end = wall.date + 10
        log(3, to: service)
        await service.shows { $0.scenarios["A"]?.suspendedUntil == end }
        return (service, end)
    }

    @Test("A scenario whose budget is used up is shown as suspended until the period ends; state, store and record stay")
    func suspension() async throws {
        let service = try await makeService(budget)
        let before = service.scenarios
        let records = try await transport.store.fetchScenarios(forClient: TestHost.clientId)
        let states = await scenarioStore.loadAllScenarios()
        let end = wall.date + 10
        log(5, to: service)
        await service.shows { $0.scenarios["A"]?.suspendedUntil == end }
        var expected = before
        expected["A"]?.suspendedUntil = end
        #expect(service.scenarios == expected && service.scenarioStates == ["A": true, "B": false])
        await service.reconcile()
        #expect(service.scenarios == expected)
        #expect(try await transport.store.fetchScenarios(forClient: TestHost.clientId) == records)
        #expect(await scenarioStore.loadAllScenarios() == states)
        wall.date = end
        log(1, to: service)
        await service.shows { $0.scenarios["A"]?.suspendedUntil == nil }
        #expect(service.scenarios == before)
        await service.telemetryLogger.flush()
        #expect(try await stored == ["e", "e", "telemetry.budget 3", "e"])
    }

    @Test("A vetoed scenario is off and not shown as suspended; allowed again it is suspended until the period ends")
    func veto() async throws {
        let (service, end) = try await makeSuspended()
        await service.setScenarioAllowed("A", allowed: false)
        #expect(service.scenarios["A"]?.isEnabled == false && service.scenarios["A"]?.suspendedUntil == nil)
        await service.setScenarioAllowed("A", allowed: true)
        #expect(service.scenarios["A"]?.suspendedUntil == end)
        log(1, to: service)
        wall.date = end
        await service.telemetryLogger.flush()
        await service.shows { $0.scenarios["A"]?.suspendedUntil == nil }
        await service.telemetryLogger.flush()
        #expect(try await stored == ["e", "e", "telemetry.budget 2"])
    }

    @Test("Nothing is reported of a scenario that the user forbids, not even of the time before")
    func vetoedReport() async throws {
        let (service, end) = try await makeSuspended()
        await service.setScenarioAllowed("A", allowed: false)
        wall.date = end
        await service.pauseTelemetry()
        await service.resumeTelemetry()
        await service.shutdown()
        #expect(try await stored == ["e", "e"])
    }

    @Test("A pause and a resumption do not renew a budget")
    func pause() async throws {
        let (service, end) = try await makeSuspended()
        await service.pauseTelemetry()
        await service.resumeTelemetry()
        #expect(service.scenarios["A"]?.suspendedUntil == end)
        log(2, to: service)
        wall.date = end
        await service.telemetryLogger.flush()
        await service.shows { $0.scenarios["A"]?.suspendedUntil == nil }
        #expect(try await stored == ["e", "e", "telemetry.budget 1", "telemetry.budget 2"])
    }

    @Test("A shutdown reports what was not recorded, and shows no suspension")
    func shutdown() async throws {
        let (service, _) = try await makeSuspended()
        await service.shutdown()
        #expect(service.scenarios["A"]?.isEnabled == true && service.scenarios["A"]?.suspendedUntil == nil)
        #expect(try await stored == ["e", "e", "telemetry.budget 1"])
    }

    @Test("An opt-out ends a suspension without a report")
    func optOut() async throws {
        let (service, _) = try await makeSuspended()
        await service.disableTelemetry()
        await service.shutdown()
        #expect(service.scenarios.isEmpty)
        #expect(try await stored == [])
    }

    @Test("The budget does not depend on who enabled the scenario")
    func viewer() async throws {
        let service = try await makeService(budget)
        try await service.setScenarioEnabled("A", enabled: false)
        try await transport.store.createCommand(TelemetryFixtures.command(.enableScenario, scenarioName: "A"))
        await service.reconcile()
        log(3, to: service)
        await service.shows { $0.scenarios["A"]?.suspendedUntil == wall.date + 10 }
        #expect(service.scenarios["A"]?.source == .viewer)
    }

    @Test("A budget whose period is not positive has no effect, with a diagnostic")
    func invalid() async throws {
        let service = try await makeService(.init(events: 2, per: .zero))
        log(5, to: service)
        await service.telemetryLogger.flush()
        #expect(try await stored.count == 5)
        #expect(diagnostics.all.map(\.kind) == [.unexpectedInput])
    }

    @Test("If the logger supports no budget, a diagnostic reports it")
    func unsupported() async throws {
        let host = try await TestHost.approved(policy: TelemetryPolicy(budget: budget))
        #expect(host.told.all.map(\.kind) == [.unexpectedInput])
    }
}
