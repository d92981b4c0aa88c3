@preconcurrency import Dispatch
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// Makes a number of calls of one kind, so that an instruction counter tells what one costs: the difference between two runs
/// that differ in the number alone. `.ci/costs` holds the result against `Benchmarks/counted-calls.txt`.
@main
enum CountedCalls {
    /// Not asynchronous: an instruction counter does not survive the end of the main thread that this would bring.
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let kind = Kind(rawValue: arguments[1]), let count = Int(arguments[2]), count >= 0 else {
            fatalError("usage: counted-calls \(Kind.allCases.map(\.rawValue).joined(separator: "|")) COUNT")
        }
        // Nothing is delivered: what is counted is the call.
        let logger = TelemetryLogger(
            configuration: .init(batchSize: .max, flushInterval: 86_400, memoryLimit: 64 << 20), transport: Nowhere())
        let isReady = DispatchSemaphore(value: 0)
        // The main function is the main actor's, which waits here.
        Task.detached {
            await logger.activate(enabled: kind != .telemetryOff)
            await logger.updateScenarioStates(["NetworkRequests": kind == .recorded, "FileRead": true])
            isReady.signal()
        }
        isReady.wait()
        switch kind {
        case .control: nothing(count)
        case .telemetryOff, .scenarioOff, .recorded: calls(logger, count)
        case .scenarioOffThroughHandle: handle(logger.scenario("NetworkRequests"), count)
        case .scenarioOffThroughProtocol: erased(logger, count)
        }
    }

    enum Kind: String, CaseIterable {
        /// The loop and its argument alone.
        case control
        case telemetryOff = "telemetry-off"
        case scenarioOff = "scenario-off"
        case scenarioOffThroughHandle = "scenario-off-handle"
        case scenarioOffThroughProtocol = "scenario-off-protocol"
        case recorded
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

/// Stores nothing.
private struct Nowhere: TelemetryEventTransport {
    func append(_ events: [TelemetryEvent]) async throws {}

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        TelemetryEventPage(events: [], cursor: TelemetryCursor(rawValue: ""), hasMore: false)
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
}
