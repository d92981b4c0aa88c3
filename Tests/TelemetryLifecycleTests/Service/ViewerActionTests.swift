import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// What viewers did, as a host can show it to the user.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ViewerActionTests {
    /// The overview's actions as text, with their ages in seconds since the fixtures' date.
    private func shown(_ service: TelemetryLifecycleService) -> [String] {
        service.overview.viewerActions.map { action in
            let age = Int(action.date.timeIntervalSince(TelemetryFixtures.date))
            return [action.issuer ?? "-", action.action.rawValue, action.scenario, "\(age)", action.ruleId].compactMap(\.self)
                .joined(separator: " ")
        }
    }

    /// Executes a viewer's command a second after the one before.
    private func execute(
        _ action: TelemetrySchema.CommandAction, scenario: String? = nil, by issuer: String?, on host: TestHost
    ) async throws {
        host.wall.date += 1
        try await host.transport.store.createCommand(
            TelemetryCommandRecord(
                commandId: "\(host.wall.date.timeIntervalSince1970)", clientId: TestHost.clientId, action: action,
                scenarioName: scenario, created: TelemetryFixtures.date, issuer: issuer))
        await host.service.reconcile()
    }

    @Test("The overview shows who approved the client by a command, and what viewers did, newest first, after a restart too")
    func commands() async throws {
        let host = try await TestHost(policy: TelemetryPolicy(remoteScenarios: ["A"]))
        await host.comeUp()
        await host.service.enableTelemetry()
        #expect(host.service.overview.viewerActions.isEmpty)
        try await execute(.enable, by: "anna", on: host)
        try await execute(.enableScenario, scenario: "A", by: "bob", on: host)
        try await execute(.enableScenario, scenario: "B", by: "rejected", on: host)
        try await execute(.captureScenario, scenario: "A", by: "failed", on: host)
        try await execute(.disableScenario, scenario: "A", by: nil, on: host)
        try await execute(.pause, by: "anna", on: host)
        let actions = ["anna pause 6", "- disableScenario A 5", "bob enableScenario A 2", "anna enable 1"]
        #expect(shown(host.service) == actions)
        await host.service.shutdown()
        host.restart()
        await host.comeUp()
        #expect(shown(host.service) == actions)
    }

    /// The status by which a query finds commands; nil for another query.
    private nonisolated static func queriedStatus(_ call: MockTelemetryTransport.Call) -> String? {
        guard case .records(let query) = call, query.recordType == TelemetryCommandRecord.recordType else { return nil }
        return query.conditions[TelemetrySchema.CommandField.status.rawValue]?.stringValue ?? "any"
    }

    @Test("The executed commands are read once, after the pending ones were executed")
    func requests() async throws {
        let host = try await TestHost.approved()
        try await execute(.pause, by: "anna", on: host)
        await host.service.shutdown()
        host.wall.date += 1
        try await host.transport.store.createCommand(
            TelemetryCommandRecord(
                commandId: "resume", clientId: TestHost.clientId, action: .resume, created: host.wall.date, issuer: "bob"))
        host.transport.forgetCalls()
        host.restart()
        await host.comeUp()
        await host.service.reconcile()
        let statuses = host.transport.calls(of: .records).compactMap(Self.queriedStatus)
        #expect(statuses.starts(with: ["pending", "executed", "pending"]) && statuses.count { $0 == "executed" } == 1)
        #expect(shown(host.service) == ["bob resume 2", "anna pause 1"])
    }

    @Test("A failure to read the executed commands prevents nothing, and they are read again")
    func executedUnreadable() async throws {
        let host = try await TestHost.approved()
        try await execute(.pause, by: "anna", on: host)
        await host.service.shutdown()
        host.wall.date += 1
        try await host.transport.store.createCommand(
            TelemetryCommandRecord(
                commandId: "resume", clientId: TestHost.clientId, action: .resume, created: host.wall.date, issuer: "bob"))
        host.transport.fail(.records) { Self.queriedStatus($0) == "executed" }
        host.restart()
        await host.comeUp()
        #expect(shown(host.service) == ["bob resume 2"])
        await host.service.reconcile()
        #expect(shown(host.service) == ["bob resume 2", "anna pause 1"])
    }

    @Test("An approval by the client's record is shown with who and when, as the store names them")
    func record() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings)
        var client = TelemetryFixtures.client(isEnabled: true)
        (client.approvedBy, client.approved) = ("anna", TelemetryFixtures.date + 7)
        try await host.transport.store.createTelemetryClient(client)
        await host.comeUp()
        #expect(shown(host.service) == ["anna enable 7"])
        #expect(try await host.client?.approvedBy == "anna", "the client's own saves keep it")
        #expect(try await shown(TestHost.approved().service).isEmpty, "the store does not name it")
    }

    @Test("After an opt-out nothing is shown, and nothing of the earlier client after another opt-in")
    func optOut() async throws {
        let host = try await TestHost.approved(identifiers: ["second"])
        try await execute(.pause, by: "anna", on: host)
        #expect(shown(host.service) == ["anna pause 1"])
        await host.service.disableTelemetry()
        #expect(host.service.overview.viewerActions.isEmpty)
        await host.service.enableTelemetry()
        #expect(host.service.overview.clientIdentifier == "second" && host.service.overview.viewerActions.isEmpty)
    }

    @Test("After a viewer disabled the client nothing is shown")
    func disabled() async throws {
        let host = try await TestHost.approved()
        try await execute(.pause, by: "anna", on: host)
        #expect(shown(host.service) == ["anna pause 1"])
        try await execute(.disable, by: "anna", on: host)
        #expect(host.service.overview.viewerActions.isEmpty)
    }

    @Test("The newest hundred actions are shown")
    func many() async throws {
        let host = try await TestHost.approved()
        await host.service.shutdown()
        for number in 1...120 {
            let date = TelemetryFixtures.date + Double(number)
            try await host.transport.store.createCommand(
                TelemetryCommandRecord(
                    commandId: "\(number)", clientId: TestHost.clientId, action: .pause, created: date, status: .executed,
                    executedAt: date, issuer: "anna"))
        }
        host.restart()
        await host.comeUp()
        let actions = shown(host.service)
        #expect(actions.count == 100 && actions.first == "anna pause 120" && actions.last == "anna pause 21")
    }

    @Test("A rule by which a scenario is on is shown with its issuer, until the rule is removed")
    func rule() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        let rule = try await host.transport.store.createRule(
            TelemetryRuleRecord(ruleId: "r", scenarioName: "A", created: TelemetryFixtures.date, issuer: "anna"))
        await host.service.reconcile()
        #expect(shown(host.service) == ["anna enableScenario A 0 r"])
        try await host.transport.store.deleteRecords(withIDs: [try #require(rule.recordID)])
        await host.service.reconcile()
        #expect(host.service.overview.viewerActions.isEmpty)
    }

    @Test("A capture by a rule's trigger is shown with the rule's issuer and the time")
    func trigger() async throws {
        let host = try await RecordingHost()
        try await host.transport.store.createRule(
            TelemetryRuleRecord(
                ruleId: "r", scenarioName: "Net", created: TelemetryFixtures.date, issuer: "anna",
                trigger: TelemetryTrigger(when: try TelemetryQuery("severity:error"), action: .capture(lookback: nil))))
        await host.service.reconcile()
        host.wall.date += 5
        host.logger.logEvent(name: "failed", scenario: "Net", attributes: ["severity": "error"])
        await host.service.shows { !$0.overview.viewerActions.isEmpty }
        #expect(shown(host.service) == ["anna captureScenario Net 5 r"])
    }
}
