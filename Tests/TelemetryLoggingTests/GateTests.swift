import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

struct GateTests {
    /// Counts evaluations.
    final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .relaxed) }

        func property() -> String? {
            count.add(1, ordering: .relaxed)
            return "evaluated"
        }

        func attributes() -> [String: TelemetryValue] {
            count.add(1, ordering: .relaxed)
            return ["evaluated": true]
        }
    }

    @Test("An event is logged if its scenario is on, not if it is off or unknown")
    func scenarios() async throws {
        let bench = await Bench.active()
        await bench.logger.updateScenarioStates(["on": true, "off": false])
        for scenario in ["on", "off", "unknown", "On", "", "o", "onn"] {
            bench.logger.logEvent(name: scenario, scenario: scenario)
        }
        bench.logger.logEvent(name: "plain")
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.map(\.name) == ["on", "plain"])
        #expect(stored.map(\.scenario) == ["on", nil])
        #expect(stored.map(\.level) == [.info, .info])
    }

    @Test("Names of every length, spelling and storage are told apart")
    func names() async throws {
        let bench = await Bench.active()
        // Around 15 bytes, up to which a text contains its bytes.
        let names = (0...20).flatMap { count in
            ["x", "é", "e\u{301}"].map { String(repeating: $0, count: count) + "on" }
        }
        await bench.logger.updateScenarioStates(Dictionary(names.map { ($0, true) }) { first, _ in first })
        for name in names {
            // In new storage, and without its last byte.
            bench.logger.logEvent(name: name, scenario: String(decoding: Array(name.utf8), as: UTF8.self))
            bench.logger.logEvent(name: "other", scenario: String(name.dropLast()))
        }
        await bench.logger.flush()
        #expect(try await bench.storedNames == names)
    }

    @Test("New states replace the earlier ones, and apply to the next call on every thread")
    func replacesStates() async throws {
        let bench = await Bench.active()
        for round in 1...50 {
            await bench.logger.updateScenarioStates(round % 2 == 0 ? ["even": true] : ["odd": true])
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...4 {
                    group.addTask {
                        bench.logger.logEvent(name: "\(round)", scenario: "even")
                        bench.logger.logEvent(name: "\(round)", scenario: "odd")
                    }
                }
            }
        }
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.count == 200)
        #expect(stored.allSatisfy { ($0.scenario == "even") == (Int($0.name)?.isMultiple(of: 2) ?? false) })
    }

    @Test("The arguments of an event that is not recorded are not evaluated", arguments: ["off", "unknown", nil])
    func lazy(scenario: String?) async {
        let bench = Bench()
        let counter = Counter()
        await bench.logger.updateScenarioStates(["off": false, "on": true])
        if scenario == nil { await bench.logger.activate(enabled: false) }
        let logger: any TelemetryLogging = bench.logger
        bench.logger.logEvent(
            name: "e", scenario: scenario, level: .info, property1: counter.property(), attributes: counter.attributes())
        logger.logEvent(
            name: "e", scenario: scenario, level: .info, property1: counter.property(), attributes: counter.attributes())
        if let scenario {
            bench.logger.logEvent(name: "e", scenario: scenario, property1: counter.property(), attributes: counter.attributes())
            logger.logEvent(name: "e", scenario: scenario, property1: counter.property(), attributes: counter.attributes())
            bench.logger.scenario(scenario).log("e", property1: counter.property(), attributes: counter.attributes())
        } else {
            bench.logger.logEvent(name: "e", property1: counter.property())
            logger.logEvent(name: "e", property1: counter.property())
            bench.logger.scenario("on").log("e", property1: counter.property(), attributes: counter.attributes())
        }
        #expect(counter.value == 0)
    }

    @Test("The arguments of an event that is recorded are evaluated once")
    func evaluatesOnce() async throws {
        let bench = await Bench.active()
        let counter = Counter()
        await bench.logger.updateScenarioStates(["on": true])
        bench.logger.logEvent(name: "1", property1: counter.property())
        bench.logger.logEvent(name: "2", scenario: "on", property1: counter.property(), attributes: counter.attributes())
        bench.logger.scenario("on").log("3", property1: counter.property(), attributes: counter.attributes())
        #expect(counter.value == 5)
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.property1) == ["evaluated", "evaluated", "evaluated"])
    }

    @Test(
        "Canonically equal names are one scenario; case matters",
        arguments: [
            ("Caf\u{E9}", "Cafe\u{301}"), ("\u{1E69}", "s\u{307}\u{323}"), ("\u{AC00}", "\u{1100}\u{1161}"),
            ("\u{212B}", "\u{C5}"),
        ])
    func spellings(first: String, second: String) async throws {
        #expect(first == second)
        for (pushed, logged) in [(first, second), (second, first), (first, first), (second, second)] {
            let bench = await Bench.active()
            let early = bench.logger.scenario(logged)
            await bench.logger.updateScenarioStates([pushed: true])
            bench.logger.logEvent(name: "e", scenario: logged)
            #expect(bench.logger.statistics.logged == 1)
            #expect(early.isEnabled && bench.logger.scenario(pushed).isEnabled)
            bench.logger.logEvent(name: "e", scenario: logged.uppercased() + "X")
            #expect(bench.logger.statistics.logged == 1)
            await bench.logger.updateScenarioStates([logged: false])
            bench.logger.logEvent(name: "e", scenario: pushed)
            #expect(bench.logger.statistics.logged == 1)
            #expect(!early.isEnabled)
        }
    }

    @Test("The empty name is a valid scenario")
    func emptyName() async {
        let bench = await Bench.active()
        bench.logger.logEvent(name: "e", scenario: "")
        #expect(bench.logger.statistics.logged == 0)
        await bench.logger.updateScenarioStates(["": true])
        bench.logger.logEvent(name: "e", scenario: "")
        #expect(bench.logger.statistics.logged == 1)
    }

    @Test("A handle follows its scenario and the logger: unknown, on, off, telemetry off and on")
    func handle() async throws {
        let bench = Bench()
        let handle = bench.logger.scenario("Netz")
        #expect(!handle.isEnabled)
        await bench.logger.updateScenarioStates(["Netz": true])
        #expect(handle.isEnabled)
        handle.log("held")
        await bench.logger.activate(enabled: true)
        handle.log("on", level: .diagnostic, property1: "p", attributes: ["a": 1])
        await bench.logger.flush()
        await bench.logger.setEnabled(false)
        #expect(!handle.isEnabled)
        handle.log("refused")
        await bench.logger.setEnabled(true)
        #expect(handle.isEnabled)
        await bench.logger.updateScenarioStates([:])
        #expect(!handle.isEnabled)
        handle.log("off")
        await bench.logger.updateScenarioStates(["Netz": true])
        await bench.logger.shutdown()
        #expect(!handle.isEnabled)
        let stored = try await bench.stored
        #expect(stored.map(\.name) == ["held", "on"])
        #expect(stored.map(\.scenario) == ["Netz", "Netz"])
        #expect(stored[1].level == .diagnostic && stored[1].property1 == "p" && stored[1].attributes == ["a": 1])
    }

    @Test("Thousands of scenarios are told apart, and a handle stays valid after its logger")
    func manyScenarios() async {
        let bench = Bench()
        let handle = bench.logger.scenario("number 77")
        let names = (0..<5_000).map { "number \($0)" }
        await bench.logger.updateScenarioStates(Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0 % 7 == 0) }))
        for name in names { bench.logger.logEvent(name: name, scenario: name) }
        #expect(bench.logger.statistics.logged == UInt64((0..<5_000).count { $0 % 7 == 0 }))
        #expect(handle.isEnabled)
        var forgotten: Bench? = Bench()
        let orphan = forgotten?.logger.scenario("x")
        await forgotten?.logger.updateScenarioStates(["x": true])
        forgotten = nil
        #expect(orphan?.isEnabled == true)
        orphan?.log("into the void")
    }

    @Test("Concurrent changes of other scenarios lose no event of a scenario that stays on")
    func concurrentChanges() async throws {
        let bench = Bench()
        await bench.logger.updateScenarioStates(["steady": true])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...500 {
                    await bench.logger.updateScenarioStates(["steady": true, "changing \(round % 40)": round % 3 == 0])
                }
            }
            for _ in 1...3 {
                group.addTask {
                    for number in 1...1_000 {
                        bench.logger.logEvent(name: "\(number)", scenario: "steady")
                        bench.logger.logEvent(name: "\(number)", scenario: "never")
                    }
                }
            }
        }
        #expect(bench.logger.statistics.logged == 3_000)
    }

    @Test("Calls through the protocol have the same effects")
    func existential() async throws {
        let bench = await Bench.active()
        let logger: any TelemetryLogging = bench.logger
        await logger.updateScenarioStates(["on": true])
        logger.logEvent(name: "1", property1: "p")
        logger.logEvent(name: "2", scenario: "on", level: .diagnostic, attributes: ["a": 1])
        logger.logEvent(name: "3", scenario: "off")
        await logger.flush()
        #expect(try await bench.storedNames == ["1", "2"])
        let noop: any TelemetryLogging = NoopTelemetryLogger()
        let counter = Counter()
        noop.logEvent(name: "1", property1: counter.property())
        await noop.activate(enabled: true)
        await noop.flush()
        #expect(counter.value == 0 && !noop.currentSessionId.isEmpty)
    }
}
