import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

/// Levels and ends of scenarios.
struct GateLeaseTests {
    private let wall = Wall()

    private func makeBench() async -> Bench {
        let bench = Bench(now: { [wall] in wall.date })
        await bench.logger.activate(enabled: true)
        return bench
    }

    /// Logs an event of each level through each call, and returns the levels that all calls recorded.
    private func recorded(_ bench: Bench, scenario: String = "Net") -> Set<TelemetryLogLevel> {
        let handle = bench.logger.scenario(scenario)
        let protocolLogger: any TelemetryLogging = bench.logger
        var levels: Set<TelemetryLogLevel> = []
        for level in TelemetryLogLevel.allCases {
            let before = bench.logger.statistics.logged
            let isEnabled = handle.isEnabled(at: level)
            bench.logger.logEvent(name: "call", scenario: scenario, level: level)
            protocolLogger.logEvent(name: "protocol", scenario: scenario, level: level)
            handle.log("handle", level: level)
            let count = bench.logger.statistics.logged - before
            #expect(count == (isEnabled ? 3 : 0))
            if isEnabled { levels.insert(level) }
        }
        #expect(handle.isEnabled == !levels.isEmpty)
        return levels
    }

    @Test("A scenario records the levels of its state; an absent scenario and one that is off record none")
    func levels() async {
        let bench = await makeBench()
        #expect(recorded(bench) == [])
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, level: .info)])
        #expect(recorded(bench) == [.info])
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, level: .diagnostic)])
        #expect(recorded(bench) == [.info, .diagnostic])
        await bench.logger.updateScenarios(["Net": .init(isEnabled: false, level: .diagnostic), "Other": .init(isEnabled: true)])
        #expect(recorded(bench) == [])
        #expect(recorded(bench, scenario: "Other") == [.info, .diagnostic])
        await bench.logger.updateScenarioStates(["Net": true])
        #expect(recorded(bench) == [.info, .diagnostic])
        #expect(recorded(bench, scenario: "Other") == [])
    }

    @Test("A scenario with a lease is on before its end and off from then on, without an update of the gate")
    func ends() async {
        let bench = await makeBench()
        let end = wall.date + 10
        await bench.logger.updateScenarios([
            "Net": .init(isEnabled: true, level: .info, expires: end), "Other": .init(isEnabled: true),
        ])
        #expect(recorded(bench) == [.info])
        wall.date = end - 0.001
        #expect(recorded(bench) == [.info])
        wall.date = end
        #expect(recorded(bench) == [])
        #expect(recorded(bench, scenario: "Other") == [.info, .diagnostic])
        // A lease stays ended even if the clock is set back.
        wall.date = end - 5
        #expect(recorded(bench) == [])
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, level: .info, expires: end)])
        #expect(recorded(bench) == [.info])
    }

    @Test("A lease can be renewed, shortened and removed")
    func renewed() async {
        let bench = await makeBench()
        let start = wall.date
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, expires: start + 10)])
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, expires: start + 20)])
        wall.date = start + 15
        #expect(!recorded(bench).isEmpty)
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, expires: start + 16)])
        wall.date = start + 16
        #expect(recorded(bench).isEmpty)
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true)])
        wall.date = .distantFuture
        #expect(!recorded(bench).isEmpty)
    }

    @Test(
        "A scenario whose end has passed before its update, or is not a valid date, is off",
        arguments: [0, -1, -.infinity, .nan] as [TimeInterval])
    func overAlready(seconds: TimeInterval) async {
        let bench = await makeBench()
        let end = Date(timeIntervalSinceReferenceDate: wall.date.timeIntervalSinceReferenceDate + seconds)
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, expires: end)])
        #expect(recorded(bench).isEmpty)
    }

    @Test("A lease that ends while the logger is off or holds events records no later event")
    func closed() async throws {
        let bench = Bench(now: { [wall] in wall.date })
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, expires: wall.date + 10)])
        bench.logger.logEvent(name: "held", scenario: "Net")
        wall.date += 10
        bench.logger.logEvent(name: "late", scenario: "Net")
        await bench.logger.activate(enabled: true)
        bench.logger.logEvent(name: "later", scenario: "Net")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["held"])
    }

    @Test("Concurrent events at the end of a lease are recorded or refused, and none is recorded after the end")
    func concurrentEnd() async {
        let bench = await makeBench()
        let end = wall.date + 1
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, expires: end)])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 { bench.logger.logEvent(name: "e", scenario: "Net") } }
            }
            group.addTask { [wall] in wall.date = end }
        }
        let count = bench.logger.statistics.logged
        bench.logger.logEvent(name: "late", scenario: "Net")
        #expect(bench.logger.statistics.logged == count && count <= 2_000)
    }

    /// A host's logger without the requirements that have defaults.
    private actor BoolLogger: TelemetryLogging {
        nonisolated let currentSessionId = "s"
        var states: [String: Bool] = [:]
        nonisolated func logEvent(
            name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
            attributes: @autoclosure () -> [String: TelemetryValue]
        ) {}
        func setClientIdentifier(_ clientId: String?) {}
        func updateScenarioStates(_ states: [String: Bool]) { self.states = states }
        func activate(enabled: Bool) {}
        func setEnabled(_ enabled: Bool) {}
        func flush() {}
        func shutdown() {}
    }

    @Test("A logger without the requirements that have defaults gets whether each scenario is on")
    func boolLogger() async {
        let logger = BoolLogger()
        await logger.updateScenarios(["Net": .init(isEnabled: true, level: .info), "Off": .init()])
        #expect(await logger.states == ["Net": true, "Off": false])
    }
}
