import Foundation
import Measure
import Peers
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

extension LoggerSuite {
    /// Measures from the first call to the receipt of the last event.
    func endToEnd() async throws -> Comparison {
        let calls = scale.size(200_000)
        return Comparison(
            "End to end, time per event", rounds: min(scale.effectiveRounds, 5),
            contenders: [
                Contender("into a file transport, read by another connection") { try await Self.throughFiles(calls) },
                Contender("into a transport that does nothing", operations: calls) { directory in
                    await Self.activeLogger(in: directory.appending(path: "spool"))
                } round: { logger in
                    Calls.string(logger, calls)
                    try await Self.finish(logger, expecting: calls)
                },
                Contender("reference, into a client that does nothing", operations: calls) {
                    let reference = ReferenceLogger { _ in }
                    reference.setScenarios(["NetworkRequests": true])
                    Calls.reference(reference, calls)
                    await reference.finish()
                },
            ],
            aims: [
                .of(
                    "into a file transport, read by another connection", atMost: 1.0 / 12,
                    times: "reference, into a client that does nothing")
            ])
    }

    private static func throughFiles(_ calls: Int) async throws -> Double {
        let scratch = try Scratch()
        let store = scratch.url.appending(path: "store")
        let logger = await activeLogger(
            in: scratch.url.appending(path: "spool"), transport: try FileTelemetryTransport(directory: store))
        let viewer = try FileTelemetryTransport(directory: store)
        let arrivals = viewer.eventArrivals()
        let start = now()
        async let last = read(calls, from: viewer, arrivals: arrivals)
        Calls.string(logger, calls)
        await logger.flush()
        let end = try await last
        try await finish(logger, expecting: calls)
        return Double(end - start) / Double(calls)
    }

    /// Reads pages as they arrive until `count` events are read, and returns the time.
    private static func read(
        _ count: Int, from viewer: FileTelemetryTransport, arrivals: AsyncStream<Void>
    ) async throws -> UInt64 {
        var cursor: TelemetryCursor?
        var seen = 0
        var hints = arrivals.makeAsyncIterator()
        while seen < count {
            let page = try await viewer.events(matching: .all, after: cursor, limit: 5_000)
            cursor = page.cursor
            seen += page.events.count
            if seen < count, !page.hasMore, await hints.next() == nil { break }
        }
        try expect(seen, count)
        return now()
    }

    /// Measures the memory of events that are waiting for delivery, each contender in a separate process.
    func memory() async throws -> Comparison {
        let events = scale.size(100_000)
        return Comparison(
            "Memory per waiting event, \(events) of them", unit: .bytes, rounds: min(scale.effectiveRounds, 3),
            contenders: [
                Contender("logger") { try await Weigh.run(.logger, events: events) },
                Contender("reference") { try await Weigh.run(.reference, events: events) },
            ], aims: [.of("logger", atMost: 0.3, times: "reference")])
    }

    /// Measures the cost for a host whose user never enabled telemetry.
    func neverAsked() async throws {
        let scratch = try Scratch()
        let directory = scratch.url.appending(path: "spool")
        let loggers = scale.size(2_000)
        var samples: [Double] = []
        for _ in 0..<scale.effectiveRounds {
            let start = now()
            for _ in 0..<loggers {
                keep(TelemetryLogger(configuration: .init(spoolDirectory: directory), transport: NullTransport()))
            }
            samples.append(Double(now() - start) / Double(loggers))
        }
        samples.sort()
        let threads = Process.threadCount
        let logger = TelemetryLogger(configuration: .init(spoolDirectory: directory), transport: NullTransport())
        await logger.activate(enabled: false)
        Calls.string(logger, 1_000)
        let median = samples[samples.count / 2]
        print("### A host whose user never asked\n")
        print("- construction \(ratio(median / 1_000)) µs, aim ≤ 20 µs: \(median <= 20_000 ? "met" : "not met")")
        print(
            "- files made: \(FileManager.default.fileExists(atPath: directory.path) ? "some" : "none"), threads started: \(Process.threadCount - threads)\n"
        )
        await logger.shutdown()
    }
}
