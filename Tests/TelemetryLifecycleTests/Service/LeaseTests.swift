import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Scenarios that are on at a level and for a time.
@MainActor
struct LeaseTests {
    private func enable(
        _ host: TestHost, _ scenario: String = "A", id: String = "command", level: TelemetryLogLevel? = nil,
        lease: TimeInterval? = nil, expires: Date? = nil, age: TimeInterval = 0
    ) async throws -> TelemetryCommandRecord? {
        let command = TelemetryCommandRecord(
            commandId: id, clientId: TestHost.clientId, action: .enableScenario, scenarioName: scenario,
            created: TelemetryFixtures.date - age, level: level, lease: lease, expires: expires)
        try await host.transport.store.createCommand(command)
        await host.service.reconcile()
        return try await host.transport.store.fetchCommand(recordID: .command(id))
    }

    private func record(_ host: TestHost, _ name: String = "A") async throws -> TelemetryScenarioRecord? {
        try await host.transport.store.fetchScenarios(forClient: TestHost.clientId).first { $0.scenarioName == name }
    }

    /// Checks that state, store, logger and record agree.
    private func expect(
        _ host: TestHost, _ state: TelemetryScenarioState, _ name: String = "A",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(host.service.scenarios[name] == state, sourceLocation: sourceLocation)
        #expect(host.service.scenarioStates[name] == state.isEnabled, sourceLocation: sourceLocation)
        #expect(await host.scenarioStore.loadAllScenarios()[name] ?? .init() == state, sourceLocation: sourceLocation)
        #expect(await host.logger.scenarios[name] == state, sourceLocation: sourceLocation)
        let record = try await record(host, name)
        #expect(record?.isEnabled == state.isEnabled && record?.level == state.level, sourceLocation: sourceLocation)
        #expect(record?.expires == state.expires && record?.source == state.source, sourceLocation: sourceLocation)
    }

    @Test("A viewer's level and lease apply to state, store, logger and record")
    func viewer() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        let command = try await enable(host, level: .info, lease: 60)
        #expect(command?.status == .executed && command?.result == nil)
        try await expect(
            host, .init(isEnabled: true, level: .info, expires: TelemetryFixtures.date + 60, source: .viewer))
    }

    @Test("The host's level and end apply to state, store, logger and record, whatever the policy")
    func host() async throws {
        let policy = TelemetryPolicy(remoteScenarios: [], maximumLevel: .info, maximumLease: .seconds(1))
        let host = try await TestHost.approved(policy: policy)
        try await host.service.registerScenarios(["A"])
        let end = TelemetryFixtures.date + 3600
        try await host.service.setScenarioEnabled("A", enabled: true, level: .diagnostic, expires: end)
        try await expect(host, .init(isEnabled: true, level: .diagnostic, expires: end, source: .host))
        try await host.service.setScenarioEnabled("A", enabled: true)
        try await expect(host, .init(isEnabled: true, source: .host))
        try await host.service.setScenarioEnabled("A", enabled: false)
        try await expect(host, .init(source: .host))
    }

    @Test("The policy limits a viewer's request, and the result contains the limits")
    func cut() async throws {
        let policy = TelemetryPolicy(maximumLevel: .info, maximumLease: .seconds(3600))
        let host = try await TestHost.approved(policy: policy)
        try await host.service.registerScenarios(["A"])
        let command = try await enable(host, lease: 7200)
        #expect(command?.result == "level cut to info; lease cut to 3600 s")
        try await expect(
            host, .init(isEnabled: true, level: .info, expires: TelemetryFixtures.date + 3600, source: .viewer))
    }

    @Test(
        "A lease that is not a positive number of seconds fails, and nothing changes",
        arguments: [0, -5, .infinity] as [TimeInterval])
    func invalid(lease: TimeInterval) async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        let command = try await enable(host, lease: lease)
        #expect(command?.status == .failed && command?.errorMessage?.contains("positive") == true)
        try await expect(host, .init())
    }

    @Test(
        "A lease ends by the service's clock, without a call and offline; the record is updated later", arguments: [true, false])
    func ends(isOffline: Bool) async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        _ = try await enable(host, lease: 60)
        // The sleepers are the lease's end and the read after the command's notification.
        await host.clock.sleepers(atLeast: 2)
        try await host.service.setScenarioEnabled("B", enabled: true)
        host.transport.isOffline = isOffline
        host.wall.date += 60
        host.clock.advance(by: .seconds(60))
        await host.service.shows { $0.scenarios["A"] == .init() }
        await host.logger.called(.updateScenarioStates(["A": false, "B": true]))
        #expect(await host.scenarioStore.loadState(for: "A") == false)
        if isOffline {
            host.transport.isOffline = false
            await host.service.reconcile()
        } else {
            // The end is itself an operation: the next one begins after the record is written.
            _ = await host.service.handleRemoteNotification(.init(recordType: "Other"))
        }
        try await expect(host, .init())
    }

    @Test("A lease that the logger ended by a clock that was set back since is in force again after the next reconciliation")
    func clockSetBack() async throws {
        let host = try await RecordingHost()
        try await host.service.registerScenarios(["A"])
        let command = TelemetryCommandRecord(
            clientId: TelemetryFixtures.clientId, action: .enableScenario, scenarioName: "A", created: host.wall.date, lease: 60)
        _ = try await host.transport.store.createCommand(command)
        await host.service.reconcile()
        host.wall.date += 3_600
        host.logger.logEvent(name: "too late", scenario: "A")
        host.wall.date -= 3_590
        await host.service.reconcile()
        host.logger.logEvent(name: "in force", scenario: "A")
        #expect(try await host.stored.map(\.name) == ["in force"])
    }

    @Test("A lease that ended while the process was not running is over before any event is recorded")
    func endsWhileStopped() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        _ = try await enable(host, lease: 60)
        _ = try await enable(host, "B", id: "b", lease: 120)
        host.wall.date += 60
        host.restart()
        host.transport.isOffline = true
        try await host.service.registerScenarios(["A", "B"])
        #expect(host.service.scenarioStates == ["A": false, "B": true])
        let pushed = host.logger.calls.filter { if case .updateScenarioStates = $0 { true } else { false } }
        #expect(pushed == [.updateScenarioStates(["A": false, "B": true])])
        host.transport.isOffline = false
        await host.comeUp()
        try await expect(host, .init())
        try await expect(
            host, .init(isEnabled: true, expires: TelemetryFixtures.date + 120, source: .viewer), "B")
    }

    @Test("A command after its expiry date is marked as expired, with a message, and nothing changes")
    func expired() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        let command = try await enable(host, expires: TelemetryFixtures.date)
        #expect(command?.status == .expired && command?.errorMessage != nil)
        #expect(try await enable(host, id: "later", expires: TelemetryFixtures.date + 1)?.status == .executed)
    }

    @Test("The newest of several commands for one scenario decides; one that is not allowed supersedes none")
    func newest() async throws {
        let host = try await TestHost.approved(policy: TelemetryPolicy(remoteScenarios: ["A"]))
        try await host.service.registerScenarios(["A", "B"])
        try await host.service.setScenarioEnabled("B", enabled: true)
        try await host.commands(
            TelemetryFixtures.command(.enableScenario, commandId: "1", scenarioName: "A", age: 9),
            TelemetryFixtures.command(.disableScenario, commandId: "2", scenarioName: "A", age: 8),
            TelemetryFixtures.command(.disableScenario, commandId: "3", scenarioName: "B", age: 7),
            TelemetryFixtures.command(.enableScenario, commandId: "4", scenarioName: "B", age: 6))
        await host.service.reconcile()
        let statuses = try await [host.status(of: "1"), host.status(of: "2"), host.status(of: "3"), host.status(of: "4")]
        #expect(statuses == [.superseded, .executed, .executed, .rejected])
        #expect(host.service.scenarioStates == ["A": false, "B": false])
    }

    @Test("A reset removes the decision, the host's and the viewer's", arguments: [true, false])
    func reset(isByHost: Bool) async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        try await host.service.setScenarioEnabled("A", enabled: true)
        if isByHost {
            try await host.service.resetScenario("A")
        } else {
            try await host.command(.resetScenario, scenario: "A")
            await host.service.reconcile()
            #expect(try await host.status() == .executed)
        }
        try await expect(host, .init())
    }
}
