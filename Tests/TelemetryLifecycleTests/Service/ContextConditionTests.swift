import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Scenarios that are on only for tasks in some contexts.
@MainActor
struct ContextConditionTests {
    private let user = [TelemetryRuleCondition("user", .equals, ["4711"])]

    private func record(_ host: TestHost) async throws -> TelemetryScenarioRecord? {
        try await host.transport.store.fetchScenarios(forClient: TestHost.clientId).first { $0.scenarioName == "A" }
    }

    @Test("A command's conditions apply to state, store, logger and record; a later command replaces them")
    func command() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        for (id, conditions) in [("1", user), ("2", [TelemetryRuleCondition("user", .equals, ["1"])]), ("3", [])] {
            try await host.transport.store.createCommand(
                TelemetryCommandRecord(
                    commandId: id, clientId: TestHost.clientId, action: .enableScenario, scenarioName: "A",
                    created: TelemetryFixtures.date, contextConditions: conditions))
            await host.service.reconcile()
            let state = TelemetryScenarioState(isEnabled: true, source: .viewer, contextConditions: conditions)
            #expect(host.service.scenarios == ["A": state])
            #expect(await host.scenarioStore.loadAllScenarios() == ["A": state])
            #expect(await host.logger.scenarios == ["A": state])
            #expect(try await record(host)?.contextConditions == conditions)
        }
    }

    @Test("A command whose conditions cannot be read fails, and turns on nothing", arguments: ["[]]", "[1]", "nobody"])
    func unreadable(text: String) async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        var command = TelemetryCommandRecord(
            commandId: "c", clientId: TestHost.clientId, action: .enableScenario, scenarioName: "A",
            created: TelemetryFixtures.date
        ).toRecord()
        command["contextConditions"] = .string(text)
        let saved = try await host.transport.store.save([command], policy: .insert)
        await host.service.reconcile()
        let id = try #require(saved.first?.recordID)
        let failed = try #require(try await host.transport.store.fetchCommand(recordID: id))
        #expect(failed.status == .failed && failed.errorMessage?.contains("context") == true)
        #expect(host.service.scenarios == ["A": .init()])
    }

    @Test("A rule's conditions are its scenario's; a rule without any comes first")
    func rules() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        func add(_ id: String, _ conditions: [TelemetryRuleCondition]) async throws {
            try await host.transport.store.createRule(
                TelemetryRuleRecord(
                    ruleId: id, scenarioName: "A", created: TelemetryFixtures.date, contextConditions: conditions))
            await host.service.reconcile()
        }
        try await add("r", user)
        #expect(host.service.scenarios == ["A": .init(isEnabled: true, source: .rule("r"), contextConditions: user)])
        #expect(try await record(host)?.contextConditions == user)
        try await add("s", [])
        #expect(host.service.scenarios == ["A": .init(isEnabled: true, source: .rule("s"))])
        try await add("q", user)
        #expect(host.service.scenarios == ["A": .init(isEnabled: true, source: .rule("s"))])
        #expect(try await record(host)?.contextConditions == [])
    }

    @Test("What a trigger enables has its rule's conditions; with conditions, a trigger cannot capture")
    func triggers() async throws {
        let host = try await RecordingHost()
        try await host.service.registerScenarios(["Net", "Checkout"])
        for (id, scenario, action) in [
            ("r", "Checkout", .enable(lease: 600)), ("s", "Net", .capture(lookback: nil)),
        ] as [(String, String, TelemetryTrigger.Action)] {
            try await host.transport.store.createRule(
                TelemetryRuleRecord(
                    ruleId: id, scenarioName: scenario, created: TelemetryFixtures.date,
                    trigger: TelemetryTrigger(when: try TelemetryQuery("name:failed"), action: action), contextConditions: user))
        }
        await host.service.reconcile()
        #expect(host.service.overview.triggers.map(\.ruleId) == ["r"])
        host.logger.logEvent(name: "failed", scenario: "Net")
        let state = TelemetryScenarioState(
            isEnabled: true, expires: host.wall.date + 600, source: .rule("r"), contextConditions: user)
        await host.service.shows { $0.scenarios["Checkout"] == state }
    }

    @Test("A store that keeps only whether a scenario is on has it as off")
    func plain() async throws {
        let store = PlainScenarioStore()
        await store.saveScenario(.init(isEnabled: true, contextConditions: user), for: "A")
        #expect(await store.loadAllStates() == ["A": false])
    }

    @Test("A store in files keeps the conditions")
    func files() async throws {
        let directory = TemporaryDirectory()
        let state = TelemetryScenarioState(isEnabled: true, source: .viewer, contextConditions: user)
        await FileTelemetryScenarioStore(directory: directory.url).saveScenario(state, for: "A")
        #expect(await FileTelemetryScenarioStore(directory: directory.url).loadAllScenarios() == ["A": state])
    }
}

/// A store that keeps only whether scenarios are on.
private actor PlainScenarioStore: TelemetryScenarioStoring {
    private var states: [String: Bool] = [:]

    func loadState(for scenarioName: String) -> Bool? { states[scenarioName] }
    func loadAllStates() -> [String: Bool] { states }
    func saveState(for scenarioName: String, isEnabled: Bool) { states[scenarioName] = isEnabled }
    func removeState(for scenarioName: String) { states[scenarioName] = nil }
    func removeAllStates() { states = [:] }
}
