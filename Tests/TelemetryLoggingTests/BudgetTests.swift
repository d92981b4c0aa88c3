import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

/// Budgets in the gate: which events are recorded.
@Suite(.timeLimit(.minutes(10)))
struct BudgetTests {
    @Test("A scenario records as many events as its budget has, then none until the period ends, which a report precedes")
    func period() async throws {
        let bench = try await BudgetBench(events: 3)
        bench.log(2, "a")
        bench.wall.date += 9.999
        bench.log(3, "b")
        bench.log(3, "other", scenario: "Disk")
        for _ in 0..<5 { bench.logger.logEvent(name: "plain") }
        bench.wall.date += 0.001
        bench.log(1, "c")
        #expect(
            try await bench.delivered() == [
                "a", "a", "b", "other", "other", "other", "plain", "plain", "plain", "plain", "plain", "Net 2 10.0", "c",
            ])
    }

    @Test("A period begins with its first event")
    func firstEvent() async throws {
        let bench = try await BudgetBench(events: 1)
        bench.log()
        bench.wall.date += 25
        bench.log()
        bench.wall.date += 9
        bench.log()
        bench.wall.date += 1
        bench.log()
        #expect(try await bench.delivered() == ["e", "e", "Net 1 10.0", "e"])
    }

    @Test("Concurrent events are recorded up to the budget exactly, and the others are counted")
    func concurrent() async throws {
        let bench = try await BudgetBench(events: 1_000)
        let (logger, handle) = (bench.logger, bench.logger.scenario("Net"))
        let erased: any TelemetryLogging = logger
        for period in 1...3 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<200 {
                            logger.logEvent(name: "e", scenario: "Net")
                            erased.logEvent(name: "e", scenario: "Net")
                            handle.log("e", level: .diagnostic)
                        }
                    }
                }
            }
            bench.wall.date += 10
            let delivered = try await bench.delivered()
            #expect(delivered.count { $0 == "e" } == 1_000 * period)
            #expect(delivered.count { $0 == "Net 1400 10.0" } == period)
        }
    }

    @Test("A suspended scenario stays on, and evaluates no arguments")
    func lazy() async throws {
        let bench = try await BudgetBench(events: 1)
        let counter = GateTests.Counter()
        let handle = bench.logger.scenario("Net")
        handle.log("e")
        handle.log("e", property1: counter.property(), attributes: counter.attributes())
        bench.logger.logEvent(
            name: "e", scenario: "Net", property1: counter.property(), attributes: counter.attributes())
        #expect(counter.value == 0)
        #expect(handle.isEnabled && handle.isEnabled(at: .diagnostic))
        bench.wall.date += 10
        #expect(try await bench.delivered() == ["e", "Net 2 10.0"])
    }

    @Test("A clock that is set back before the period ends the suspension")
    func clockSetBack() async throws {
        let bench = try await BudgetBench(events: 2)
        bench.log(3)
        bench.wall.date -= 3_600
        bench.log(3)
        #expect(try await bench.delivered() == ["e", "e", "Net 1 10.0", "e", "e"])
    }

    @Test("The bytes of a period exceed the budget by less than one event", arguments: [true, false])
    func bytes(hasAttributes: Bool) async throws {
        let bench = try await BudgetBench(events: 1_000, bytes: 1_000)
        let attributes: [String: TelemetryValue] = hasAttributes ? ["number": 1] : [:]
        // An event takes more than 100 bytes, and less than 200.
        let text = String(repeating: "x", count: 100)
        for _ in 0..<20 {
            bench.logger.logEvent(name: "e", scenario: "Net", property1: text, attributes: attributes)
        }
        let count = Int(bench.logger.statistics.logged)
        #expect((6...9).contains(count))
        bench.wall.date += 10
        bench.log()
        #expect(try await bench.delivered().suffix(2) == ["Net \(20 - count) 10.0", "e"])
    }

    @Test("A single event that is larger than the budget's bytes is recorded")
    func largeEvent() async throws {
        let bench = try await BudgetBench(events: 10, bytes: 1)
        bench.log(3)
        bench.wall.date += 10
        bench.log(1, "next")
        #expect(try await bench.delivered() == ["e", "Net 2 10.0", "next"])
    }

    @Test(
        "A budget of no events or bytes records nothing, and reports it",
        arguments: [(0, nil), (-1, nil), (5, 0), (5, -1)] as [(Int, Int?)])
    func nothing(events: Int, bytes: Int?) async throws {
        let bench = try await BudgetBench(events: events, bytes: bytes)
        bench.log(4)
        #expect(try await bench.delivered() == [])
        await bench.passPeriod()
        #expect(try await bench.delivered() == ["Net 4 10.0"])
    }

    @Test("A budget needs a positive period; the longest one is a hundred years")
    func invalid() throws {
        #expect(ScenarioBudget(events: 1, bytes: nil, per: .zero) == nil)
        #expect(ScenarioBudget(events: 1, bytes: nil, per: .seconds(-1)) == nil)
        #expect(
            ScenarioBudget(events: 1, bytes: nil, per: .seconds(Int64.max))
                == ScenarioBudget(events: 1, bytes: nil, per: .seconds(100 * 365 * 86_400)))
    }
}
