import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

/// Budgets in the logger: suspensions and their reports.
@Suite(.timeLimit(.minutes(10)))
struct SuspensionTests {
    @Test("A suspension is shown from the last event of the budget until the period's end")
    func shown() async throws {
        let bench = try await BudgetBench(events: 2)
        let end = bench.wall.date + 10
        var changes = bench.suspensions.makeAsyncIterator()
        bench.log(2)
        #expect(await changes.next() == ["Net": end])
        bench.wall.date += 1
        bench.log(2, scenario: "Disk")
        #expect(await changes.next() == ["Net": end, "Disk": end + 1])
        bench.wall.date += 9
        bench.log()
        #expect(await changes.next() == ["Disk": end + 1])
        #expect(try await bench.delivered() == ["e", "e", "e", "e", "e"])
    }

    @Test("Without further events the suspension ends after the period, although the date was set back, and is reported once")
    func timer() async throws {
        let bench = try await BudgetBench(events: 1)
        bench.wall.date += 5
        bench.log(3)
        bench.wall.date += 9
        await bench.passPeriod()
        #expect(bench.logger.statistics.logged == 2)
        bench.wall.date -= 9
        bench.log(1, "next")
        await bench.passPeriod()
        #expect(try await bench.delivered() == ["e", "Net 2 10.0", "next"])
    }

    @Test("A suspension in which every event was recorded is not reported")
    func silent() async throws {
        let bench = try await BudgetBench(events: 3)
        bench.log(3)
        await bench.passPeriod()
        #expect(try await bench.delivered() == ["e", "e", "e"])
    }

    @Test("A scenario that is turned off, or whose lease ends, is still reported", arguments: [true, false])
    func turnedOff(byLease: Bool) async throws {
        let bench = try await BudgetBench(events: 1)
        if byLease {
            await bench.logger.updateScenarios(["Net": .init(isEnabled: true, expires: bench.wall.date + 2)])
        }
        bench.log(3)
        bench.wall.date += 2
        if !byLease { await bench.logger.updateScenarioStates([:]) }
        bench.log(3)
        await bench.passPeriod()
        #expect(try await bench.delivered() == ["e", "Net 2 10.0"])
    }

    @Test("Turning a scenario off and on does not renew its budget")
    func turnedOn() async throws {
        let bench = try await BudgetBench(events: 1)
        bench.log(2)
        await bench.logger.updateScenarioStates([:])
        await bench.logger.updateScenarioStates(["Net": true])
        bench.log(2)
        await bench.passPeriod()
        #expect(try await bench.delivered() == ["e", "Net 3 10.0"])
    }

    @Test("A shutdown reports what was not recorded so far, and ends the suspension")
    func shutdown() async throws {
        let bench = try await BudgetBench(events: 1)
        var changes = bench.suspensions.makeAsyncIterator()
        bench.log(4)
        #expect(await changes.next()?.keys.sorted() == ["Net"])
        bench.wall.date += 4
        await bench.logger.shutdown()
        #expect(await changes.next() == [:])
        #expect(try await bench.bench.stored.map(\.summary) == ["e", "Net 3 4.0"])
        await bench.logger.activate(enabled: true)
        bench.log()
        #expect(try await bench.delivered() == ["e", "Net 3 4.0", "e"])
    }

    @Test("A pause reports what was not recorded so far, and does not renew the budget")
    func pause() async throws {
        let bench = try await BudgetBench(events: 1)
        bench.log(4)
        bench.wall.date += 4
        await bench.logger.setPaused(true)
        bench.log(4)
        #expect(try await bench.delivered() == [])
        await bench.logger.setPaused(false)
        bench.log(2)
        await bench.passPeriod()
        #expect(try await bench.delivered() == ["e", "Net 3 4.0", "Net 2 10.0"])
    }

    @Test("After consent ended nothing is reported of the time before, and the budget is not renewed")
    func consent() async throws {
        let bench = try await BudgetBench(events: 1)
        bench.log(4)
        await bench.logger.setEnabled(false)
        await bench.logger.setEnabled(true)
        bench.log(2)
        bench.wall.date += 10
        #expect(try await bench.delivered() == ["Net 2 10.0"])
        bench.log(2)
        await bench.logger.setEnabled(false)
        await bench.logger.shutdown()
        #expect(try await bench.delivered() == ["Net 2 10.0"])
    }

    @Test("Events that are held before activation count against the budget")
    func held() async throws {
        let bench = Bench()
        bench.logger.limit(to: ScenarioBudget(events: 1, bytes: nil, per: .seconds(10))) { _ in }
        await bench.logger.updateScenarioStates(["Net": true])
        for _ in 0..<3 { bench.logger.logEvent(name: "held", scenario: "Net") }
        await bench.logger.activate(enabled: true)
        await bench.logger.shutdown()
        #expect(try await bench.stored.map(\.summary) == ["held", "Net 2 0.0"])
    }

    @Test("The host's hook and the budget do not apply to reports")
    func reportsAreOwn() async throws {
        let bench = try await BudgetBench(
            events: 1, configuration: .init(process: { $0.name != TelemetryLogger.budgetEventName }))
        bench.log(2)
        bench.wall.date += 10
        bench.log(2)
        bench.wall.date += 10
        #expect(try await bench.delivered() == ["e", "Net 1 10.0", "e", "Net 1 10.0"])
    }

    @Test("A logger without a budget starts no further task, and limits nothing")
    func unlimited() async throws {
        let bench = Bench()
        bench.logger.limit(to: nil) { _ in }
        await bench.logger.updateScenarioStates(["Net": true])
        await bench.logger.activate(enabled: true)
        for _ in 0..<500 { bench.logger.logEvent(name: "e", scenario: "Net") }
        #expect(bench.logger.statistics.logged == 500)
        await bench.logger.shutdown()
        #expect(bench.clock.sleeperCount == 0)
    }
}
