import Foundation
public import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import Testing

@testable import TelemetryLifecycle

struct ReconciliationDecisionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var requested = true
        var sending = false
        var identifier: String? = "client"
        var needsRegistration = false
        var server: Bool?
        var isOptIn = false
        let step: Reconciliation.Step
        let result: Reconciliation.Result?

        var testDescription: String {
            "requested \(requested), sending \(sending), server \(server.map(String.init) ?? "absent"), needs registration \(needsRegistration), opt-in \(isOptIn)"
        }
    }

    @Test(
        "The reconciliation's step and result for each combination of settings and record",
        arguments: [
            Case(sending: true, server: true, step: .keepOn, result: .localAndServerEnabled),
            Case(sending: false, server: true, step: .turnOn, result: .serverEnabledLocalDisabled),
            Case(sending: true, server: false, step: .disable, result: .serverDisabledLocalEnabled),
            Case(sending: false, server: false, step: .wait, result: .pendingApproval),
            Case(sending: true, server: nil, step: .reset, result: .missingClient),
            Case(sending: false, server: nil, step: .reset, result: .missingClient),
            Case(requested: false, server: nil, step: .stayOff, result: .allDisabled),
            Case(requested: false, server: true, step: .stayOff, result: .allDisabled),
            Case(requested: false, sending: true, server: true, step: .stayOff, result: .allDisabled),
            Case(needsRegistration: true, server: nil, step: .register, result: nil),
            Case(sending: true, needsRegistration: true, server: nil, step: .register, result: nil),
            Case(needsRegistration: true, server: true, step: .turnOn, result: .serverEnabledLocalDisabled),
            Case(identifier: nil, server: nil, step: .register, result: nil),
            Case(sending: true, server: false, isOptIn: true, step: .wait, result: .pendingApproval),
            Case(sending: true, server: true, isOptIn: true, step: .keepOn, result: .localAndServerEnabled),
        ])
    func table(row: Case) {
        let settings = TelemetrySettings(
            telemetryRequested: row.requested, telemetrySendingEnabled: row.sending, clientIdentifier: row.identifier)
        let decision = Reconciliation.decide(
            settings: settings, needsRegistration: row.needsRegistration, serverEnabled: row.server, isOptIn: row.isOptIn)
        #expect(decision == Reconciliation(step: row.step, result: row.result))
    }
}

extension TelemetryScenarioState: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self.init(isEnabled: value) }
}

struct ScenarioPlanTests {
    private func record(_ name: String, _ isEnabled: Bool, id: TelemetryRecord.ID? = nil, client: String = "client")
        -> TelemetryScenarioRecord
    {
        TelemetryScenarioRecord(
            recordID: id ?? .scenario(name, ofClient: client), clientId: client, scenarioName: name, isEnabled: isEnabled)
    }

    @Test("Records that match the states need no change")
    func inLine() {
        let plan = ScenarioPlan(
            wanted: ["A": true, "B": false], stored: [record("A", true), record("B", false)], clientId: "client")
        #expect(plan.create.isEmpty && plan.update.isEmpty && plan.delete.isEmpty)
    }

    @Test("A missing record is created, a different one updated, and an unwanted one deleted")
    func repairs() {
        let plan = ScenarioPlan(
            wanted: ["A": true, "B": true], stored: [record("B", false), record("C", true)], clientId: "client")
        #expect(plan.create == ["A"])
        #expect(plan.update == [.scenario("B", ofClient: "client"): true])
        #expect(plan.delete == [.scenario("C", ofClient: "client")])
    }

    @Test(
        "A record that differs in level, end or source is updated",
        arguments: [
            TelemetryScenarioState(isEnabled: true, level: .info),
            .init(isEnabled: true, expires: TelemetryFixtures.date), .init(isEnabled: true, source: .viewer),
        ])
    func wholeStates(state: TelemetryScenarioState) {
        let plan = ScenarioPlan(wanted: ["A": state], stored: [record("A", true)], clientId: "client")
        #expect(plan.update == [.scenario("A", ofClient: "client"): state])
    }

    @Test("An end that differs by less than a millisecond is equal; one that differs by a second is not", arguments: [0.0004, 1])
    func roundedEnd(difference: TimeInterval) {
        let state = TelemetryScenarioState(isEnabled: true, expires: TelemetryFixtures.date)
        var stored = record("A", true)
        stored.expires = TelemetryFixtures.date + difference
        let plan = ScenarioPlan(wanted: ["A": state], stored: [stored], clientId: "client")
        #expect(plan.update.isEmpty == (difference < 1))
    }

    @Test("Of several records of a scenario, the one with the derived identity is kept")
    func duplicates() {
        let plan = ScenarioPlan(
            wanted: ["A": true], stored: [record("A", false, id: "a-stray"), record("A", true)], clientId: "client")
        #expect(plan.create.isEmpty && plan.update.isEmpty)
        #expect(plan.delete == ["a-stray"])
        let strays = ScenarioPlan(
            wanted: ["A": true], stored: [record("A", false, id: "y"), record("A", false, id: "x")], clientId: "client")
        #expect(strays.update == ["x": true])
        #expect(strays.delete == ["y"])
    }

    @Test("Other clients' records, which a faulty store may return, are not touched")
    func others() {
        let plan = ScenarioPlan(wanted: ["A": true], stored: [record("A", false, client: "other")], clientId: "client")
        #expect(plan.create == ["A"] && plan.update.isEmpty && plan.delete.isEmpty)
    }
}

struct PendingCommandTests {
    @Test("Commands are sorted by date, then by name; those without a date come last")
    func order() {
        var undated = TelemetryFixtures.command(.enable, commandId: "undated").toRecord()
        undated["created"] = nil
        let records =
            [undated]
            + [("b", 0), ("a", 0), ("old", 60)].map { id, age in
                var record = TelemetryRecord(recordType: TelemetrySchema.commandRecordType, recordID: .command(id))
                for (field, value) in TelemetryFixtures.command(.enable, commandId: id, age: Double(age)).toRecord().fields {
                    record[field] = value
                }
                return record
            }
        let queue = PendingCommand.queue(of: records, clientId: TelemetryFixtures.clientId)
        #expect(queue.map(\.id) == [.command("old"), .command("a"), .command("b"), undated.recordID])
    }

    private func queue(_ commands: [TelemetryCommandRecord]) -> [PendingCommand] {
        PendingCommand.queue(of: commands.map { $0.toRecord() }, clientId: TelemetryFixtures.clientId)
    }

    private func command(
        _ action: TelemetrySchema.CommandAction, _ id: String, scenario: String? = nil, age: Double, expires: Date? = nil
    ) -> TelemetryCommandRecord {
        TelemetryCommandRecord(
            recordID: .command(id), commandId: id, clientId: TelemetryFixtures.clientId, action: action, scenarioName: scenario,
            created: TelemetryFixtures.date - age, expires: expires)
    }

    @Test("The newest command for a scenario supersedes older ones, and so does the newest pause or resume")
    func superseded() {
        let queue = queue([
            command(.enableScenario, "1", scenario: "A", age: 9), command(.disableScenario, "2", scenario: "A", age: 8),
            command(.enableScenario, "3", scenario: "B", age: 7), command(.pause, "4", age: 6), command(.enable, "5", age: 5),
            command(.deleteEvents, "6", age: 4), command(.enable, "7", age: 3), command(.resume, "8", age: 2),
            command(.deleteEvents, "9", age: 1), command(.resetScenario, "10", scenario: "A", age: 0),
        ])
        let ids = PendingCommand.superseded(of: queue, at: TelemetryFixtures.date)
        #expect(ids == [.command("1"), .command("2"), .command("4")])
    }

    @Test("A command that has expired, cannot be run or is not allowed supersedes none")
    func notSuperseding() {
        let date = TelemetryFixtures.date
        let expired = command(.disableScenario, "2", scenario: "A", age: 1, expires: date)
        #expect(
            PendingCommand.superseded(of: queue([command(.enableScenario, "1", scenario: "A", age: 2), expired]), at: date)
                .isEmpty)
        #expect(
            PendingCommand.superseded(of: queue([command(.enableScenario, "1", scenario: "A", age: 2), expired]), at: date - 1)
                == [.command("1")])
        let invalid = TelemetryCommandRecord(
            recordID: "2", clientId: TelemetryFixtures.clientId, action: .enableScenario, scenarioName: "A", created: date,
            lease: -1)
        let pair = queue([command(.disableScenario, "1", scenario: "A", age: 2), invalid])
        #expect(PendingCommand.superseded(of: pair, at: date).isEmpty)
        let allowed = queue([
            command(.disableScenario, "1", scenario: "A", age: 2), command(.enableScenario, "2", scenario: "A", age: 1),
        ])
        #expect(PendingCommand.superseded(of: allowed, at: date) { $0.id != .command("2") }.isEmpty)
    }

    @Test(
        "A command with an unreadable field is refused, because the field might restrict it",
        arguments: [("logLevel", "everything"), ("lease", "60"), ("lease", 0), ("expires", 5)] as [(String, TelemetryValue)])
    func unreadable(field: String, value: TelemetryValue) throws {
        var record = command(.enableScenario, "1", scenario: "A", age: 0).toRecord()
        record[field] = value
        guard case .refuse = try #require(PendingCommand(record, clientId: TelemetryFixtures.clientId)).work else {
            Issue.record("the command was not refused")
            return
        }
    }

    @Test("A record that is not pending, not a command, or not for this client is ignored")
    func foreign() {
        var ended = TelemetryFixtures.command(.enable).toRecord()
        ended["status"] = "executed"
        let other = TelemetryFixtures.command(.enable, clientId: "other").toRecord()
        let client = TelemetryFixtures.client().toRecord()
        for record in [ended, other, client] { #expect(PendingCommand(record, clientId: TelemetryFixtures.clientId) == nil) }
    }

    @Test("A command that lacks a field is refused with a message", arguments: ["commandId", "action", "created"])
    func damaged(field: String) throws {
        var record = TelemetryFixtures.command(.enable).toRecord()
        record[field] = nil
        let command = try #require(PendingCommand(record, clientId: TelemetryFixtures.clientId))
        guard case .refuse(let reason) = command.work else {
            Issue.record("the command was not refused")
            return
        }
        #expect(reason.contains(field))
    }
}

struct PlatformDefaultsTests {
    @Test(
        "Files are in the state directory of the executable",
        arguments: [
            (["XDG_STATE_HOME": "/state"], "/state/live-telemetry/tool"),
            (["XDG_STATE_HOME": "relative"], "/home/ada/.local/state/live-telemetry/tool"),
            (["XDG_STATE_HOME": ""], "/home/ada/.local/state/live-telemetry/tool"),
            ([:], "/home/ada/.local/state/live-telemetry/tool"),
        ])
    func directory(environment: [String: String], expected: String) {
        let url = PlatformDefaults.executableDirectory(base: nil, environment: environment, home: "/home/ada", executable: "tool")
        #expect(url.path == expected)
    }

    @Test("An executable's name cannot point outside the directory")
    func hostileName() {
        let url = PlatformDefaults.executableDirectory(
            base: URL(fileURLWithPath: "/base"), environment: [:], home: "/", executable: "../../etc")
        #expect(url.deletingLastPathComponent().path == "/base/live-telemetry")
    }
}
