import Foundation
import Logging
import Measure
import Peers
import TelemetryLogging
import TelemetryModels

extension LoggerSuite {
    /// swift-log with its own handler: as every handler of more than three words, it is copied by reference counting for each call.
    private static let console = "swift-log, StreamLogHandler disabled"

    /// Measures calls while telemetry is disabled.
    func off() async throws -> Comparison {
        let calls = scale.size(2_000_000)
        let swiftLog = Self.swiftLog(.info, handler: DiscardingLogHandler())
        let console = Self.swiftLog(.info, handler: StreamLogHandler.standardError(label: "benchmark"))
        let logger = TelemetryLogger(transport: NullTransport())
        await logger.activate(enabled: false)
        let handle = logger.scenario("NetworkRequests")
        let erased: any TelemetryLogging = logger
        let handler = Self.swiftLog(recordedBy: logger)
        return Comparison(
            "Everything off, processor time per call", rounds: scale.effectiveRounds,
            contenders: [
                Contender("swift-log, disabled", calls: calls) { Calls.swiftLog(swiftLog, calls) },
                Contender(Self.console, calls: calls) { Calls.swiftLog(console, calls) },
                Contender("swift-log, TelemetryLogHandler", calls: calls) { Calls.swiftLog(handler, calls) },
                Contender("handle", calls: calls) { Calls.handle(handle, calls) },
                Contender("string call", calls: calls) { Calls.string(logger, calls) },
                Contender("string call through the protocol", calls: calls) { Calls.erased(erased, calls) },
                Contender("the empty loop", calls: calls) { Calls.nothing(calls) },
            ],
            aims: [
                .of("swift-log, TelemetryLogHandler", atMost: 1, times: "swift-log, disabled"),
                .of("handle", atMost: 0.1, times: "swift-log, disabled"),
                .of("string call", atMost: 0.3, times: "swift-log, disabled"),
            ])
    }

    /// Measures calls of a disabled scenario while others are enabled.
    func scenarioOff(threads: Int) async throws -> Comparison {
        let calls = scale.size(threads == 1 ? 1_000_000 : 250_000)
        let states = ["NetworkRequests": false, "FileRead": true, "Checksum": true]
        let swiftLog = Self.swiftLog(.info, handler: DiscardingLogHandler())
        let console = Self.swiftLog(.info, handler: StreamLogHandler.standardError(label: "benchmark"))
        let logger = TelemetryLogger(transport: NullTransport())
        await logger.activate(enabled: true)
        var scenarios = states.mapValues { TelemetryScenarioState(isEnabled: $0) }
        scenarios["Checkout"] = .init(isEnabled: true, contextConditions: [.init("user", .equals, ["4711"])])
        await logger.updateScenarios(scenarios)
        let conditional = logger.scenario("Checkout")
        let handle = logger.scenario("NetworkRequests")
        let reference = ReferenceLogger { _ in }
        reference.setScenarios(states)
        let erased: any TelemetryLogging = logger
        let handler = Self.swiftLog(recordedBy: logger)
        func contender(_ name: String, _ body: @escaping @Sendable () -> Void) -> Contender {
            threads == 1
                ? Contender(name, calls: calls, loop: body)
                : Contender(name) { onThreads(threads, body) / Double(calls * threads) }
        }
        let aims: [Comparison.Aim] =
            threads == 1
            ? [
                .of("swift-log, TelemetryLogHandler", atMost: 1, times: "swift-log, disabled"),
                .of("string call", atMost: 1, times: "swift-log, disabled"),
                .of("string call through the protocol", atMost: 1, times: "swift-log, disabled"),
                .of("string call", atMost: 0.25, times: "reference"),
                .of("handle, on in another context", atMost: 3, times: "swift-log, disabled"),
                .of("handle, on in a context", atMost: 3, times: "swift-log, disabled"),
            ] : [.of("string call", atMost: 1.5, times: "swift-log, disabled")]
        return Comparison(
            "That scenario off, others on, \(threads == 1 ? "processor time" : "\(threads) threads, time") per call",
            rounds: scale.effectiveRounds,
            contenders: [
                contender("swift-log, disabled") { Calls.swiftLog(swiftLog, calls) },
                contender(Self.console) { Calls.swiftLog(console, calls) },
                contender("swift-log, TelemetryLogHandler") { Calls.swiftLog(handler, calls) },
                contender("handle") { Calls.handle(handle, calls) },
                contender("handle, on in a context") { Calls.handle(conditional, calls) },
                contender("handle, on in another context") {
                    TelemetryContext.with(["user": "1", "request": "2"]) { Calls.handle(conditional, calls) }
                },
                contender("string call") { Calls.string(logger, calls) },
                contender("string call through the protocol") { Calls.erased(erased, calls) },
                contender("reference") { Calls.reference(reference, calls) },
            ], aims: aims)
    }
}

/// The measured loops, separate from the measuring code so that they are compiled like a host's.
enum Calls {
    @inline(never)
    static func swiftLog(_ logger: Logger, _ calls: Int, level: Logger.Level = .debug) {
        for call in 0..<calls {
            logger.log(level: level, "request.finished", metadata: ["property1": "\(LoggerSuite.properties[call & 63])"])
        }
    }

    @inline(never)
    static func handle(_ scenario: TelemetryScenario, _ calls: Int) {
        for call in 0..<calls { scenario.log("request.finished", property1: LoggerSuite.properties[call & 63]) }
    }

    @inline(never)
    static func string(_ logger: TelemetryLogger, _ calls: Int) {
        for call in 0..<calls {
            logger.logEvent(
                name: "request.finished", scenario: "NetworkRequests", property1: LoggerSuite.properties[call & 63])
        }
    }

    @inline(never)
    static func erased(_ logger: any TelemetryLogging, _ calls: Int) {
        for call in 0..<calls {
            logger.logEvent(
                name: "request.finished", scenario: "NetworkRequests", property1: LoggerSuite.properties[call & 63])
        }
    }

    @inline(never)
    static func reference(_ logger: ReferenceLogger, _ calls: Int) {
        for call in 0..<calls {
            logger.log("request.finished", scenario: "NetworkRequests", property1: LoggerSuite.properties[call & 63])
        }
    }

    @inline(never)
    static func nothing(_ calls: Int) {
        for call in 0..<calls { keep(call) }
    }
}
