@_spi(Tooling) import TelemetryModels
import Testing

struct TelemetryContextTests {
    @Test("Inner values are in effect until their operation ends, and others stay")
    func nested() {
        #expect(TelemetryContext.current == [:])
        TelemetryContext.with(["user": "1", "request": "a"]) {
            let inner = TelemetryContext.with(["user": "2"]) { TelemetryContext.current }
            #expect(inner == ["user": "2", "request": "a"])
            #expect(TelemetryContext.current == ["user": "1", "request": "a"])
        }
        #expect(TelemetryContext.current == [:])
    }

    @Test("Replaced values are in effect alone until their operation ends")
    func replaced() {
        TelemetryContext.with(["user": "1", "request": "a"]) {
            #expect(TelemetryContext.replaced(by: ["user": "2"]) { TelemetryContext.current } == ["user": "2"])
            #expect(TelemetryContext.replaced(by: [:]) { TelemetryContext.current } == [:])
            #expect(TelemetryContext.current == ["user": "1", "request": "a"])
        }
    }

    @Test("Child tasks inherit the values, a detached task has none, and an error ends the operation")
    func tasks() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await TelemetryContext.with(["user": "1"]) {
                async let child = TelemetryContext.current
                #expect(await child == ["user": "1"])
                #expect(await Task { TelemetryContext.current }.value == ["user": "1"])
                #expect(await Task.detached { TelemetryContext.current }.value == [:])
                throw Failure()
            }
        }
        #expect(TelemetryContext.current == [:])
    }

    @Test("The asynchronous operation runs on the caller's actor") @MainActor
    func isolation() async {
        var isMain = false
        await TelemetryContext.with(["user": "1"]) {
            await Task.yield()
            MainActor.assertIsolated()
            isMain = true
        }
        #expect(isMain)
    }
}

/// Conditions on the context in commands, scenarios' records and states.
struct ContextConditionTests {
    private let conditions = [TelemetryRuleCondition("user", .equals, ["4711"])]
    private let text = #"[{"attribute":"user","comparison":"equals","values":["4711"]}]"#

    @Test("The conditions of a command and of a scenario's record are stored as JSON text, and left out if there are none")
    func records() throws {
        for (given, stored) in [(conditions, TelemetryValue.string(text)), ([], nil)] {
            let command = TelemetryCommandRecord(
                clientId: "c", action: .enableScenario, scenarioName: "A", contextConditions: given)
            #expect(command.toRecord()["contextConditions"] == stored)
            #expect(try TelemetryCommandRecord(record: command.toRecord()).contextConditions == given)
            let scenario = TelemetryScenarioRecord(clientId: "c", scenarioName: "A", isEnabled: true, contextConditions: given)
            #expect(scenario.toRecord()["contextConditions"] == stored)
            #expect(try TelemetryScenarioRecord(record: scenario.toRecord()).contextConditions == given)
        }
    }

    @Test("A state keeps its conditions")
    func state() throws {
        let state = TelemetryScenarioState(isEnabled: true, source: .viewer, contextConditions: conditions)
        #expect(try fromJSON(json(state)) == state)
        #expect(try json(TelemetryScenarioState(isEnabled: true)).contains("context") == false)
    }

    @Test(
        "Conditions that cannot be read hold for no context",
        arguments: [
            "1", #""""#, #"[{"attribute":"user"}]"#, "null", #"[{"attribute":"user","comparison":"later","values":["1"]}]"#,
        ])
    func unreadable(text: String) throws {
        var record = TelemetryScenarioRecord(clientId: "c", scenarioName: "A", isEnabled: true).toRecord()
        record["contextConditions"] = .string(text)
        let stored = try TelemetryScenarioRecord(record: record).contextConditions
        let state = try fromJSON(
            #"{"isEnabled":true,"contextConditions":\#(text)}"#, as: TelemetryScenarioState.self)
        for conditions in [stored, state.contextConditions] {
            #expect(!conditions.isEmpty)
            #expect(!conditions.allSatisfy { $0.holds(for: "1") || $0.holds(for: nil) })
        }
    }
}
