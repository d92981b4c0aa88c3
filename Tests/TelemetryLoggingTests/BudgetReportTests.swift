import Foundation
import TelemetryModels
import TelemetryTestSupport
import Testing

@testable import TelemetryLogging

/// The events that report what budgets did not record.
@Suite(.timeLimit(.minutes(10)))
struct BudgetReportTests {
    @Test("A report that is made while recording ends is neither lost nor recorded later")
    func concurrentPause() async throws {
        let gate = ThreadGate()
        let wall = Wall()
        let bench = Bench(now: { gate.pass { wall.date } })
        // Without a task that ends suspensions, which might take the report first.
        bench.logger.gate.limit(to: ScenarioBudget(events: 1, bytes: nil, per: .seconds(10)))
        await bench.logger.updateScenarioStates(["Net": true])
        await bench.logger.activate(enabled: true)
        for _ in 0..<3 { bench.logger.logEvent(name: "e", scenario: "Net") }
        wall.date += 10
        // The second reading of the time is that of the report: the first one begins the next period.
        await gate.hold(call: 2) { bench.logger.logEvent(name: "next", scenario: "Net") }
        await bench.logger.setPaused(true)
        await gate.open()
        await bench.logger.setPaused(false)
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.summary) == ["e", "Net 2 10.0"])
    }

    @Test("The reports of a scenario are discarded and made no more once they are withheld")
    func withheld() {
        let budgets = ScenarioBudgets(now: { 0 })
        budgets.set(ScenarioBudget(events: 1, bytes: nil, per: .seconds(10)))
        let meters = ["Net", "Disk"].map(budgets.meter)
        for _ in 0..<3 { for meter in meters { _ = budgets.admit(meter) } }
        budgets.reportSuppressed()
        budgets.withholdReports(of: ["Net"])
        #expect(budgets.takeReports().map(\.scenario) == ["Disk"])
        for meter in meters { _ = budgets.admit(meter) }
        budgets.reportSuppressed()
        #expect(budgets.takeReports().map(\.scenario) == ["Disk"])
    }
}
