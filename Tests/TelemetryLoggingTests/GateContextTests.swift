import Foundation
@_spi(Tooling) import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

/// Scenarios that are on only in some contexts.
struct GateContextTests {
    private let user = [TelemetryRuleCondition("user", .equals, ["U-4711"])]

    private func makeBench(_ states: [String: TelemetryScenarioState]) async -> Bench {
        let bench = await Bench.active()
        await bench.logger.updateScenarios(states)
        return bench
    }

    /// Logs an event through each call in the context, and returns whether all recorded it.
    private func isRecorded(_ bench: Bench, in context: [String: String]?, scenario: String = "Net") -> Bool {
        guard let context else { return isRecorded(bench, scenario) }
        return TelemetryContext.with(context) { isRecorded(bench, scenario) }
    }

    private func isRecorded(_ bench: Bench, _ scenario: String) -> Bool {
        let handle = bench.logger.scenario(scenario)
        let protocolLogger: any TelemetryLogging = bench.logger
        let before = bench.logger.statistics.logged
        var evaluations = 0
        func text() -> String {
            evaluations += 1
            return "text"
        }
        bench.logger.logEvent(name: "call", scenario: scenario, property1: text())
        protocolLogger.logEvent(name: "protocol", scenario: scenario, level: .diagnostic, property1: text(), attributes: [:])
        handle.log("handle", property1: text(), attributes: ["a": .string(text())])
        let isEnabled = handle.isEnabled
        #expect(handle.isEnabled(at: .info) == isEnabled)
        #expect(bench.logger.statistics.logged - before == (isEnabled ? 3 : 0))
        #expect(evaluations == (isEnabled ? 4 : 0))
        return isEnabled
    }

    @Test("Only the events of a task whose context fulfils all conditions are recorded, and no others are evaluated")
    func conditions() async throws {
        let both = user + [TelemetryRuleCondition("plan", .notOneOf, ["free"])]
        let bench = await makeBench([
            "Net": .init(isEnabled: true, contextConditions: both), "All": .init(isEnabled: true),
            "Off": .init(contextConditions: user),
        ])
        #expect(isRecorded(bench, in: ["user": "U-4711"]))
        #expect(isRecorded(bench, in: ["user": "U-4711", "plan": "paid"]))
        #expect(!isRecorded(bench, in: ["user": "U-4711", "plan": "free"]))
        #expect(!isRecorded(bench, in: ["user": "U-4712"]))
        #expect(!isRecorded(bench, in: [:]))
        #expect(!isRecorded(bench, in: nil))
        #expect(isRecorded(bench, in: ["user": "U-4712"], scenario: "All"))
        #expect(!isRecorded(bench, in: ["user": "U-4711"], scenario: "Off"))
        await bench.logger.flush()
        #expect(try await bench.stored.allSatisfy { !"\($0)".contains("U-4711") })
    }

    @Test("More values are needed only where those of the task leave the decision open")
    func needsContext() async {
        let conditions = user + [TelemetryRuleCondition("plan", .notOneOf, ["free"])]
        let bench = await makeBench([
            "Net": .init(isEnabled: true, contextConditions: conditions), "All": .init(isEnabled: true),
            "Off": .init(contextConditions: conditions),
        ])
        let (net, all, off) = (bench.logger.scenario("Net"), bench.logger.scenario("All"), bench.logger.scenario("Off"))
        #expect(net.needsContext && !all.needsContext && !off.needsContext)
        // Twice, because the decision is kept.
        for (values, isNeeded, isOn) in [
            (["request": "1"], true, false), (["user": "U-4711"], true, true), (["plan": "paid"], true, false),
            (["user": "U-4712"], false, false), (["plan": "free"], false, false),
            (["user": "U-4711", "plan": "paid"], false, true),
            (["user": "U-4711", "plan": "free"], false, false),
        ] {
            TelemetryContext.with(values) {
                for _ in 1...2 { #expect(net.needsContext == isNeeded && net.isEnabled == isOn, "\(values)") }
                #expect(!all.needsContext && !off.needsContext)
            }
        }
    }

    @Test("Without a context, a condition holds that holds for a missing value")
    func noContext() async {
        let bench = await makeBench([
            "Net": .init(isEnabled: true, contextConditions: [TelemetryRuleCondition("user", .notOneOf, ["U-4711"])])
        ])
        #expect(isRecorded(bench, in: nil))
        #expect(isRecorded(bench, in: ["plan": "free"]))
        #expect(!isRecorded(bench, in: ["user": "U-4711"]))
    }

    @Test("Each scenario has its own conditions, equal ones are decided on alike, and changed ones are in effect at once")
    func changes() async {
        func on(_ user: String) -> TelemetryScenarioState {
            .init(isEnabled: true, contextConditions: [TelemetryRuleCondition("user", .equals, [user])])
        }
        let bench = await makeBench(["Net": on("1"), "Files": on("2")])
        let other = await makeBench(["Net": on("2")])
        await TelemetryContext.with(["user": "1"]) {
            for _ in 1...2 {
                #expect(isRecorded(bench, "Net") && !isRecorded(bench, "Files") && !isRecorded(other, "Net"))
            }
            await bench.logger.updateScenarios(["Net": on("2"), "Files": on("1")])
            #expect(!isRecorded(bench, "Net") && isRecorded(bench, "Files"))
            await bench.logger.updateScenarios(["Net": .init(isEnabled: true), "Files": .init()])
            #expect(isRecorded(bench, "Net") && !isRecorded(bench, "Files"))
            await bench.logger.updateScenarios(["Net": on("1"), "Files": on("1")])
            #expect(isRecorded(bench, "Net") && isRecorded(bench, "Files"))
        }
    }

    @Test("A scenario with conditions ends with its lease")
    func lease() async {
        let wall = Wall()
        let bench = Bench(now: { wall.date })
        await bench.logger.activate(enabled: true)
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, expires: wall.date + 10, contextConditions: user)])
        #expect(isRecorded(bench, in: ["user": "U-4711"]) && !isRecorded(bench, in: nil))
        wall.date += 10
        #expect(!isRecorded(bench, in: ["user": "U-4711"]))
    }

    @Test("An event in another context does not count against the budget")
    func budget() async {
        let bench = await makeBench(["Net": .init(isEnabled: true, contextConditions: user)])
        bench.logger.limitScenarios(toEvents: 1, bytes: nil, per: .seconds(60))
        for _ in 1...10 { bench.logger.logEvent(name: "another's", scenario: "Net") }
        TelemetryContext.with(["user": "U-4711"]) {
            bench.logger.logEvent(name: "first", scenario: "Net")
            bench.logger.logEvent(name: "second", scenario: "Net")
        }
        #expect(bench.logger.statistics.logged == 1)
    }

    @Test("The flight recorder keeps nothing of other contexts")
    func recorder() async throws {
        let bench = await Bench.recording()
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, contextConditions: user)])
        #expect(!isRecorded(bench, in: ["user": "1"]) && isRecorded(bench, in: ["user": "U-4711"]))
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 0)
    }
}
