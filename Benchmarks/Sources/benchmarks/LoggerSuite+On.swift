import Foundation
import Logging
import Measure
import Peers
import TelemetryLogging
import TelemetryModels

extension LoggerSuite {
    /// Measures the caller's cost while the scenario is enabled.
    func enabled() async throws -> Comparison {
        let calls = scale.size(50_000)
        let silent = Self.swiftLog(.trace, handler: DiscardingLogHandler())
        let null = Self.swiftLog(.trace, handler: StreamLogHandler(label: "benchmark", stream: NullStream()))
        return Comparison(
            "Enabled, 50-byte property, processor time of the caller", rounds: scale.effectiveRounds,
            contenders: [
                Contender("swift-log, a handler that does nothing", calls: calls) { Calls.swiftLog(silent, calls) },
                Contender("memory-mapped") {
                    try await Self.mapped(calls) { logger in callerTime(calls: calls) { Calls.string(logger, calls) } }
                },
                Contender("memory-mapped, handle") {
                    try await Self.mapped(calls) { logger in
                        let handle = logger.scenario("NetworkRequests")
                        return callerTime(calls: calls) { Calls.handle(handle, calls) }
                    }
                },
                Contender("memory-mapped, recorded while off") {
                    try await Self.recording { logger in callerTime(calls: calls) { Calls.string(logger, calls) } }
                },
                Contender("memory-mapped, with a budget") {
                    try await Self.mapped(calls, hasBudget: true) { logger in
                        callerTime(calls: calls) { Calls.string(logger, calls) }
                    }
                },
                Contender("in memory") {
                    try await Self.inMemory(calls) { logger in callerTime(calls: calls) { Calls.string(logger, calls) } }
                },
                Contender("memory-mapped, swift-log with TelemetryLogHandler") {
                    try await Self.mapped(calls) { logger in
                        let swiftLog = Self.swiftLog(recordedBy: logger)
                        return callerTime(calls: calls) { Calls.swiftLog(swiftLog, calls) }
                    }
                },
                Contender("swift-log, StreamLogHandler to /dev/null", calls: calls) { Calls.swiftLog(null, calls) },
                Contender("reference") {
                    await Self.reference { logger in callerTime(calls: calls) { Calls.reference(logger, calls) } }
                },
            ],
            aims: [
                .of("memory-mapped", atMost: 1.3, times: "swift-log, a handler that does nothing"),
                .of("memory-mapped", atMost: 0.05, times: "reference"),
                .of("memory-mapped, recorded while off", atMost: 1.2, times: "memory-mapped"),
                .of("memory-mapped, with a budget", atMost: 1.1, times: "memory-mapped"),
            ])
    }

    func enabledOnThreads() async throws -> Comparison {
        let calls = scale.size(20_000)
        let threads = 4
        return Comparison(
            "Enabled from \(threads) threads, time per call", rounds: scale.effectiveRounds,
            contenders: [
                Contender("memory-mapped") {
                    try await Self.mapped(calls * threads) { logger in
                        onThreads(threads) { Calls.string(logger, calls) } / Double(calls * threads)
                    }
                },
                Contender("reference") {
                    await Self.reference { logger in
                        onThreads(threads) { Calls.reference(logger, calls) } / Double(calls * threads)
                    }
                },
            ], aims: [.of("memory-mapped", atMost: 0.1, times: "reference")])
    }

    /// Measures one call every four microseconds, to find calls that are slower than others.
    func pacedCalls() async throws {
        let calls = scale.size(100_000)
        let pause: UInt64 = 4_000
        let scratch = try Scratch()
        var ours = Latencies()
        var theirs = Latencies()
        for round in 0..<(scale.quick ? 1 : 3) {
            let logger = await Self.activeLogger(in: scratch.url.appending(path: "\(round)"))
            ours.merge(
                paced(calls, every: pause) {
                    logger.logEvent(name: "request.finished", scenario: "NetworkRequests", property1: Self.properties[$0 & 63])
                })
            try await Self.finish(logger, expecting: calls)
            let reference = ReferenceLogger { _ in }
            reference.setScenarios(["NetworkRequests": true])
            theirs.merge(
                paced(calls, every: pause) {
                    reference.log("request.finished", scenario: "NetworkRequests", property1: Self.properties[$0 & 63])
                })
            await reference.finish()
        }
        var table = FigureTable(columns: Latencies.columns)
        table.add(ours.row("memory-mapped"))
        table.add(theirs.row("reference"))
        let reached = Double(ours.percentile(99)) / Double(theirs.percentile(99))
        let verdicts = (ours.percentile(99) <= 1_000 ? "met" : "not met", reached <= 0.05 ? "met" : "not met")
        print("### Enabled, one call every 4 µs, time per call\n\n\(table.text())\n")
        print("- memory-mapped p99: aim ≤ 1 µs: \(verdicts.0)")
        print("- memory-mapped p99 / reference p99: \(ratio(reached)), aim ≤ 0.0500: \(verdicts.1)\n")
    }

    /// The body measures the calls; setup and teardown are not counted.
    static func mapped(
        _ calls: Int, hasBudget: Bool = false, redaction: TelemetryRedaction = .none, _ body: (TelemetryLogger) -> Double
    ) async throws -> Double {
        let scratch = try Scratch()
        let logger = await activeLogger(in: scratch.url.appending(path: "spool"), hasBudget: hasBudget, redaction: redaction)
        return try await run(logger, calls, body)
    }

    private static func inMemory(_ calls: Int, _ body: (TelemetryLogger) -> Double) async throws -> Double {
        try await run(await activeLogger(in: nil), calls, body)
    }

    private static func run(_ logger: TelemetryLogger, _ calls: Int, _ body: (TelemetryLogger) -> Double) async throws -> Double {
        let cost = body(logger)
        try await finish(logger, expecting: calls)
        return cost
    }

    private static func reference(_ body: (ReferenceLogger) -> Double) async -> Double {
        let logger = ReferenceLogger { _ in }
        logger.setScenarios(["NetworkRequests": true])
        let cost = body(logger)
        await logger.finish()
        return cost
    }
}
