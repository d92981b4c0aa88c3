import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

/// An active logger with a budget, whose clock and date the test controls.
struct BudgetBench {
    let wall = Wall()
    let bench: Bench
    /// The suspended scenarios, each time they change.
    let suspensions: AsyncStream<[String: Date]>

    var logger: TelemetryLogger { bench.logger }

    /// - Parameter budget: The limits in periods of ten seconds.
    init(
        events: Int, bytes: Int? = nil, configuration: TelemetryLogger.Configuration = .default
    ) async throws {
        let (suspensions, continuation) = AsyncStream.makeStream(of: [String: Date].self)
        self.suspensions = suspensions
        bench = Bench(configuration, now: { [wall] in wall.date })
        let budget = try #require(ScenarioBudget(events: events, bytes: bytes, per: .seconds(10)))
        bench.logger.limit(to: budget) { continuation.yield($0) }
        await bench.logger.updateScenarioStates(["Net": true, "Disk": true])
        await bench.logger.activate(enabled: true)
    }

    func log(_ count: Int = 1, _ name: String = "e", scenario: String = "Net") {
        for _ in 0..<count { logger.logEvent(name: name, scenario: scenario) }
    }

    /// Ends the period by the clock of waits alone, and returns once the logger has ended the suspension.
    func passPeriod() async {
        var changes = suspensions.makeAsyncIterator()
        while let change = await changes.next(), change.isEmpty {}
        await logger.flush()
        await bench.clock.sleepers(atLeast: 1)
        bench.clock.advance(by: .seconds(10))
        while let change = await changes.next(), !change.isEmpty {}
    }

    /// The delivered events' names; a report's also has its scenario, the number of events and the seconds.
    func delivered() async throws -> [String] {
        await logger.flush()
        return try await bench.stored.map(\.summary)
    }
}

extension TelemetryEvent {
    /// The name; for a report of a budget also its scenario, the number of events and the seconds.
    var summary: String {
        guard name == TelemetryLogger.budgetEventName else { return name }
        let suppressed = attributes["suppressed"]?.intValue ?? -1
        let isConsistent = attributes["scenario"]?.stringValue == scenario && level == .info
        return "\(isConsistent ? scenario ?? "" : "inconsistent") \(suppressed) \(attributes["window"]?.doubleValue ?? -1)"
    }
}
