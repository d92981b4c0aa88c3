import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Rules in the store, which each client evaluates itself.
@MainActor
struct RuleFollowingTests {
    private static let notification = TelemetryNotification(
        subscriptionID: "TelemetryRule-All", recordType: "TelemetryRule", recordID: "rule-r")

    private func add(
        _ host: TestHost, _ id: String = "r", scenario: String = "A", level: TelemetryLogLevel = .diagnostic,
        conditions: [TelemetryRuleCondition] = [], expires: Date? = nil
    ) async throws -> TelemetryRuleRecord {
        try await host.transport.store.createRule(
            TelemetryRuleRecord(
                ruleId: id, scenarioName: scenario, level: level, conditions: conditions, created: TelemetryFixtures.date,
                expires: expires))
    }

    private func record(_ host: TestHost) async throws -> TelemetryScenarioRecord? {
        try await host.transport.store.fetchScenarios(forClient: TestHost.clientId).first { $0.scenarioName == "A" }
    }

    @Test("A new, changed or removed rule is applied at the next notification, without a command")
    func follows() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        var rule = try await add(host, level: .info, expires: TelemetryFixtures.date + 60)
        #expect(await host.service.handleRemoteNotification(Self.notification))
        let expected = TelemetryScenarioState(
            isEnabled: true, level: .info, expires: TelemetryFixtures.date + 60, source: .rule("r"))
        #expect(host.service.scenarios == ["A": expected])
        #expect(await host.logger.scenarios == ["A": expected])
        let followed = try await record(host)
        #expect(followed?.source == .rule("r") && followed?.isEnabled == true)
        rule.level = .diagnostic
        rule.expires = nil
        rule = try await host.transport.store.updateRule(rule)
        #expect(await host.service.handleRemoteNotification(Self.notification))
        #expect(host.service.scenarios == ["A": .init(isEnabled: true, source: .rule("r"))])
        try await host.transport.store.deleteRule(recordID: rule.recordID ?? "")
        #expect(await host.service.handleRemoteNotification(Self.notification))
        #expect(host.service.scenarios == ["A": .init()])
        let ended = try await record(host)
        #expect(ended?.source == .registration && ended?.isEnabled == false)
        #expect(try await host.transport.store.fetchCommands().isEmpty)
    }

    @Test("A rule is applied at a reconciliation, and ends by the clock")
    func ends() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        _ = try await add(host, expires: TelemetryFixtures.date + 60)
        await host.service.reconcile()
        try await host.service.setScenarioEnabled("B", enabled: true)
        #expect(host.service.scenarioStates == ["A": true, "B": true])
        // The sleepers are the rule's end and the read after the rule's notification.
        await host.clock.sleepers(atLeast: 2)
        host.transport.isOffline = true
        host.wall.date += 60
        host.clock.advance(by: .seconds(60))
        await host.logger.called(.updateScenarioStates(["A": false, "B": true]))
    }

    @Test("The service subscribes to rules, and keeps the subscription if others use it")
    func subscription() async throws {
        let host = try await TestHost.approved()
        #expect(try await host.transport.store.subscription(withID: "TelemetryRule-All")?.recordType == "TelemetryRule")
        await host.service.disableTelemetry()
        #expect(try await host.transport.store.subscription(withID: "TelemetryRule-All") != nil)
    }

    @Test("Rules match the host's attributes, and the library's own attributes have precedence")
    func attributes() async throws {
        let host = try await TestHost.approved(attributes: ["track": "beta", "libraryVersion": "none"])
        try await host.service.registerScenarios(["A", "B", "C"])
        _ = try await add(host, "1", scenario: "A", conditions: [.init("track", .equals, ["beta"])])
        _ = try await add(
            host, "2", scenario: "B",
            conditions: [
                .init("libraryVersion", .equals, [LiveTelemetryVersion.version]), .init("clientId", .oneOf, [TestHost.clientId]),
                .init("deviceModel", .hasPrefix, [""]), .init("osVersion", .hasPrefix, [""]),
                .init("deviceType", .hasPrefix, [""]), .init("appVersion", .hasPrefix, [""]),
            ])
        _ = try await add(host, "3", scenario: "C", conditions: [.init("libraryVersion", .equals, ["none"])])
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["A": true, "B": true, "C": false])
    }

    @Test("An explicit decision has precedence over rules until it is reset")
    func explicit() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        _ = try await add(host)
        try await host.command(.disableScenario, scenario: "A")
        await host.service.reconcile()
        #expect(host.service.scenarios == ["A": .init(source: .viewer)])
        try await host.service.resetScenario("A")
        #expect(host.service.scenarios == ["A": .init(isEnabled: true, source: .rule("r"))])
    }

    @Test("A client that is not approved applies no rule")
    func notApproved() async throws {
        let host = try await TestHost(
            settings: .init(telemetryRequested: true, clientIdentifier: TestHost.clientId), server: false)
        await host.comeUp()
        try await host.service.registerScenarios(["A"])
        _ = try await add(host)
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["A": false])
        try await host.setServer(enabled: true)
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["A": true])
    }

    @Test("A store whose schema has no rules is not reported")
    func withoutRules() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        let missing = TelemetryTransportError(code: .notFound, message: "There is no such record type.")
        host.transport.fail(
            .records, with: missing, times: 9,
            where: { call in
                if case .records(let query) = call { query.recordType == TelemetrySchema.ruleRecordType } else { false }
            })
        let before = host.told.all.count
        await host.service.reconcile()
        try await host.service.setScenarioEnabled("A", enabled: true)
        await host.service.reconcile()
        #expect(host.told.all.count == before)
        #expect(host.service.scenarioStates == ["A": true])
    }

    @Test("After an offline restart, a rule's decision is kept until it ends")
    func restart() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        _ = try await add(host, expires: TelemetryFixtures.date + 60)
        await host.service.reconcile()
        host.restart()
        host.transport.isOffline = true
        await host.comeUp()
        try await host.service.registerScenarios(["A"])
        #expect(host.service.scenarios["A"]?.source == .rule("r"))
        host.wall.date += 60
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["A": false])
    }
}
