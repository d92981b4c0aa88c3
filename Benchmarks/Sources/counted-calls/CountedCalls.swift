@preconcurrency import Dispatch
@_spi(Tooling) import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// Makes a number of calls of one kind. The cost of a call is the difference between the instruction counts of two runs with
/// different numbers of calls. `.ci/costs` compares the result with `Benchmarks/counted-calls.txt`.
@main
enum CountedCalls {
    /// Not asynchronous, because an asynchronous main ends the main thread, and the instruction counter with it.
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let kind = Kind(rawValue: arguments[1]), let count = Int(arguments[2]), count >= 0 else {
            fatalError("usage: counted-calls \(Kind.allCases.map(\.rawValue).joined(separator: "|")) COUNT")
        }
        // Delivers nothing, so that only the call is counted.
        let logger = TelemetryLogger(
            configuration: .init(batchSize: .max, flushInterval: 86_400, memoryLimit: 64 << 20), transport: DiscardingTransport())
        // More than all calls use up.
        if kind == .recordedWithBudget { logger.limitScenarios(toEvents: 1 << 30, bytes: 1 << 40, per: .seconds(86_400)) }
        if kind == .suppressed { logger.limitScenarios(toEvents: 1, bytes: nil, per: .seconds(86_400)) }
        let isReady = DispatchSemaphore(value: 0)
        // Detached, because the main actor is blocked here.
        Task.detached {
            await logger.activate(enabled: kind != .telemetryOff)
            await logger.updateScenarios([
                "NetworkRequests": .init(
                    isEnabled: kind.isRecorded || kind == .anotherContext,
                    contextConditions: kind == .anotherContext ? [.init("user", .equals, ["4711"])] : []),
                "FileRead": .init(isEnabled: true),
            ])
            // Uses the budget up, which wakes the task that ends suspensions.
            if kind == .suppressed { calls(logger, 1) }
            // The start of the logger's tasks must not be counted. They are idle after it.
            try? await Task.sleep(for: .milliseconds(200))
            isReady.signal()
        }
        isReady.wait()
        switch kind {
        case .control: nothing(count)
        case .telemetryOff, .scenarioOff, .recorded, .recordedWithBudget, .suppressed: calls(logger, count)
        case .scenarioOffThroughHandle: handle(logger.scenario("NetworkRequests"), count)
        case .scenarioOffThroughProtocol: erased(logger, count)
        case .anotherContext:
            TelemetryContext.with(["user": "1"]) { handle(logger.scenario("NetworkRequests"), count) }
        }
    }

    enum Kind: String, CaseIterable {
        /// Only the loop and its argument.
        case control
        case telemetryOff = "telemetry-off"
        case scenarioOff = "scenario-off"
        case scenarioOffThroughHandle = "scenario-off-handle"
        case scenarioOffThroughProtocol = "scenario-off-protocol"
        /// The scenario is on, for another user.
        case anotherContext = "another-context"
        case recorded
        case recordedWithBudget = "recorded-with-budget"
        /// The scenario's budget is used up.
        case suppressed

        var isRecorded: Bool { self == .recorded || self == .recordedWithBudget || self == .suppressed }
    }

    private static let properties = (0..<64).map { "https://example.com/\($0)" }

    @inline(never)
    private static func nothing(_ count: Int) {
        for call in 0..<count { consume(call) }
    }

    @inline(never) @_optimize(none)
    private static func consume(_ value: Int) {}

    @inline(never)
    private static func calls(_ logger: TelemetryLogger, _ count: Int) {
        for call in 0..<count {
            logger.logEvent(name: "request.finished", scenario: "NetworkRequests", property1: properties[call & 63])
        }
    }

    @inline(never)
    private static func handle(_ scenario: TelemetryScenario, _ count: Int) {
        for call in 0..<count { scenario.log("request.finished", property1: properties[call & 63]) }
    }

    @inline(never)
    private static func erased(_ logger: any TelemetryLogging, _ count: Int) {
        for call in 0..<count {
            logger.logEvent(name: "request.finished", scenario: "NetworkRequests", property1: properties[call & 63])
        }
    }
}

/// A transport that discards all events.
private struct DiscardingTransport: TelemetryEventTransport {
    func append(_ events: [TelemetryEvent]) async throws {}

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        TelemetryEventPage(events: [], cursor: TelemetryCursor(rawValue: ""), hasMore: false)
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
}
