import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Rules with a trigger, with the library's logger: the client acts by itself.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct TriggerRuleTests {
    private func add(
        _ host: RecordingHost, _ action: TelemetryTrigger.Action, scenario: String = "Net",
        level: TelemetryLogLevel = .diagnostic,
        when: String = "severity:>=error", conditions: [TelemetryRuleCondition] = [], expires: Date? = nil
    ) async throws -> TelemetryRuleRecord {
        let rule = try await host.transport.store.createRule(
            TelemetryRuleRecord(
                ruleId: "r", scenarioName: scenario, level: level, conditions: conditions, created: TelemetryFixtures.date,
                expires: expires,
                trigger: TelemetryTrigger(when: try TelemetryQuery(when), action: action)))
        await host.service.reconcile()
        return rule
    }

    /// Logs an event that triggers match, and flushes: delivery reads for them at once, while their watch may rest, on a clock that stands
    /// still.
    private func fail(_ host: RecordingHost) async {
        host.logger.logEvent(name: "failed", scenario: "Net", attributes: ["severity": "error"])
        host.logger.logEvent(name: "ordinary")
        await host.logger.flush()
    }

    /// Returns once the report of an action was sent.
    private func reported(_ host: RecordingHost) async {
        await host.transport.called { calls in
            calls.contains {
                if case .append(let events) = $0 { events.contains { $0.name == "telemetry.trigger" } } else { false }
            }
        }
    }

    @Test("A rule with a trigger enables nothing, and captures what the recorder kept once an event matches")
    func capture() async throws {
        let host = try await RecordingHost()
        try await host.service.registerScenarios(["Net"])
        _ = try await add(host, .capture(lookback: 30))
        #expect(host.service.scenarios == ["Net": .init()])
        host.logger.logEvent(name: "old", scenario: "Net")
        host.wall.date += 60
        host.logger.logEvent(name: "before", scenario: "Net")
        await fail(host)
        await reported(host)
        let stored = try await host.stored.filter { $0.name != "ordinary" }
        #expect(stored.map(\.name) == ["before", "failed", "telemetry.trigger"])
        let report = stored.last
        #expect(
            report?.attributes == ["rule": "r", "scenario": "Net", "action": "capture", "events": 1, "captured": 2])
        let shown = host.service.overview.triggers
        #expect(shown.map(\.ruleId) == ["r"] && shown.map(\.actions) == [1] && shown.map(\.lastAction) == [host.wall.date])
        #expect(host.service.scenarios == ["Net": .init()])
    }

    @Test("While the store cannot be reached, a trigger enables its scenario as far as the policy allows")
    func enable() async throws {
        let host = try await RecordingHost(maximumLevel: .info)
        try await host.service.registerScenarios(["Net", "Checkout"])
        let rule = try await add(host, .enable(lease: 600), scenario: "Checkout")
        host.transport.isOffline = true
        // An operation of the service waits for the store.
        host.transport.hold(.record)
        let refresh = Task { await host.service.reconcile() }
        await host.transport.held(.record)
        await fail(host)
        let state = TelemetryScenarioState(
            isEnabled: true, level: .info, expires: host.wall.date + 600, source: .rule("r"))
        await host.service.shows { $0.scenarios["Checkout"] == state }
        #expect(host.service.scenarios["Net"] == .init())
        host.logger.logEvent(name: "recorded", scenario: "Checkout")
        host.transport.release(.record)
        _ = await refresh.value
        host.transport.isOffline = false
        await host.service.reconcile()
        #expect(try await host.stored.map(\.name).contains("recorded"))
        let record = try await host.transport.store.fetchScenarios(forClient: TelemetryFixtures.clientId)
            .first { $0.scenarioName == "Checkout" }
        #expect(record?.source == .rule("r") && record?.isEnabled == true && record?.expires == state.expires)
        // A restart does not end it, also while the rules are unknown; a rule that goes does.
        host.transport.isOffline = true
        try await host.crash()
        try await host.service.registerScenarios(["Net", "Checkout"])
        #expect(host.service.scenarios["Checkout"] == state)
        host.transport.isOffline = false
        await host.service.reconcile()
        #expect(host.service.scenarios["Checkout"] == state)
        try await host.transport.store.deleteRule(recordID: rule.recordID ?? "")
        await host.service.reconcile()
        #expect(host.service.scenarios["Checkout"] == .init())
    }

    @Test("An explicit decision stays, and so does a rule that records more")
    func precedence() async throws {
        let host = try await RecordingHost()
        try await host.service.registerScenarios(["Net", "Files"])
        try await host.service.setScenarioEnabled("Files", enabled: false)
        _ = try await add(host, .enable(lease: 600), scenario: "Files", level: .info)
        await fail(host)
        // The service does what triggers demand in turn, and the second captures.
        try await host.transport.store.createRule(
            TelemetryRuleRecord(
                ruleId: "s", scenarioName: "Net", created: TelemetryFixtures.date,
                trigger: TelemetryTrigger(when: try TelemetryQuery("severity:>=error"), action: .capture(lookback: nil))))
        await host.service.reconcile()
        await fail(host)
        await reported(host)
        #expect(host.service.scenarios["Files"] == .init(source: .host))
    }

    @Test("What a trigger enabled ends with its rule")
    func expiry() async throws {
        let host = try await RecordingHost()
        let end = host.wall.date + 60
        _ = try await add(host, .enable(lease: 600), scenario: "Files", expires: end)
        await fail(host)
        let state = TelemetryScenarioState(isEnabled: true, expires: end, source: .rule("r"))
        await host.service.shows { $0.scenarios["Files"] == state }
    }

    @Test("A decision of an earlier run stays, although its scenario is not registered yet")
    func earlierDecision() async throws {
        let host = try await RecordingHost()
        try await host.service.setScenarioEnabled("Files", enabled: true)
        try await host.crash()
        _ = try await add(host, .enable(lease: 600), scenario: "Files")
        // A second trigger shows when the first one has been handled.
        try await host.transport.store.createRule(
            TelemetryRuleRecord(
                ruleId: "s", scenarioName: "Net", created: TelemetryFixtures.date,
                trigger: TelemetryTrigger(when: try TelemetryQuery("severity:>=error"), action: .capture(lookback: nil))))
        await host.service.reconcile()
        await fail(host)
        await reported(host)
        try await host.service.registerScenarios(["Files"])
        #expect(host.service.scenarios["Files"] == .init(isEnabled: true, source: .host))
    }

    @Test("An opt-out ends the triggers, also where no scenario is registered")
    func optOut() async throws {
        let host = try await RecordingHost()
        _ = try await add(host, .capture(lookback: nil))
        #expect(host.service.overview.triggers.count == 1)
        await host.service.disableTelemetry()
        #expect(host.service.overview.triggers == [])
    }

    enum Refusal: CaseIterable { case veto, pause, optOut, conditions, goneRule }

    @Test("A veto, a pause, an opt-out, conditions and a removed rule keep a trigger from acting", arguments: Refusal.allCases)
    func refusals(_ refusal: Refusal) async throws {
        let host = try await RecordingHost()
        try await host.service.registerScenarios(["Net", "Files"])
        let conditions = refusal == .conditions ? [TelemetryRuleCondition("appVersion", .equals, ["none"])] : []
        let rule = try await add(host, .capture(lookback: nil), conditions: conditions)
        switch refusal {
        case .veto: await host.service.setScenarioAllowed("Net", allowed: false)
        case .pause: await host.service.pauseTelemetry()
        case .optOut: await host.service.disableTelemetry()
        case .conditions: break
        case .goneRule:
            try await host.transport.store.deleteRule(recordID: rule.recordID ?? "")
            await host.service.reconcile()
        }
        host.logger.logEvent(name: "failed", scenario: "Net", attributes: ["severity": "error"])
        host.logger.logEvent(
            name: "failed", scenario: nil, level: .info, property1: nil, attributes: ["severity": "error"])
        #expect(try await host.stored.allSatisfy { $0.name == "failed" && $0.attributes["telemetry.captured"] == nil })
        await host.service.shutdown()
        #expect(try await host.stored.allSatisfy { $0.name == "failed" && $0.attributes["telemetry.captured"] == nil })
    }
}
