#if DEBUG
import Foundation
import Synchronization
@testable import TelemetryDebugLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

@MainActor
struct DebugLoggerTests {
    private let bench = DebugLoggerBench()

    @Test("An entry has the logged values, and the logger's source and identifiers")
    func entry() async throws {
        let shipper = ScriptedShipper()
        let device = UUID()
        let session = UUID()
        let correlation = UUID()
        let logger = DebugLogger(
            configuration: .init(source: .cli, deviceId: device, sessionId: session), shipper: shipper, clock: bench.clock,
            now: { Date(timeIntervalSince1970: 1000) })
        logger.log(event: "started", level: .warn, payload: ["port": 8080], correlationId: correlation)
        await logger.flush()
        let entry = try #require(shipper.batches.first?.first)
        #expect(
            entry
                == DebugLogEntry(
                    id: entry.id, correlationId: correlation, timestamp: Date(timeIntervalSince1970: 1000), source: .cli,
                    level: .warn, event: "started", payload: ["port": 8080], deviceId: device, sessionId: session))
    }

    @Test("The fiftieth entry sends the batch, without a flush and before the interval has passed")
    func fullBatch() async {
        let shipper = ScriptedShipper()
        let logger = bench.logger(shipper)
        bench.log(1...49, logger)
        await bench.clock.sleepers()
        #expect(shipper.batches.isEmpty)
        logger.log(event: "50")
        await shipper.arrival()
        #expect(shipper.events == [bench.names(1...50)])
        await logger.flush()
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("A single entry is sent after thirty seconds, and no timer runs before the first entry or after the last")
    func interval() async {
        let shipper = ScriptedShipper()
        let logger = bench.logger(shipper)
        #expect(bench.clock.sleeperCount == 0)
        logger.log(event: "1")
        await bench.clock.sleepers()
        bench.clock.advance(by: .seconds(29))
        logger.log(event: "2")
        #expect(bench.clock.timeToNextWake == .seconds(1))
        bench.clock.advance(by: .seconds(1))
        await shipper.arrival()
        #expect(shipper.events == [["1", "2"]])
        await logger.flush()
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("A flush without waiting entries sends nothing; a flush stops the timer")
    func emptyFlush() async {
        let shipper = ScriptedShipper()
        let logger = bench.logger(shipper)
        await logger.flush()
        #expect(shipper.batches.isEmpty)
        logger.log(event: "1")
        await bench.clock.sleepers()
        await logger.flush()
        #expect(bench.clock.sleeperCount == 0)
        await logger.flush()
        #expect(shipper.events == [["1"]])
    }

    @Test("A flush that joins one in progress covers later entries too, in order")
    func joined() async {
        let shipper = ScriptedShipper()
        let logger = bench.logger(shipper)
        shipper.hold()
        logger.log(event: "1")
        async let first: Void = logger.flush()
        await shipper.arrival()
        bench.log(2...3, logger)
        async let second: Void = logger.flush()
        // The second flush runs until it joins the first, before this task continues.
        await Task.yield()
        #expect(shipper.batches.count == 1)
        shipper.release()
        _ = await (first, second)
        #expect(shipper.events == [["1"], ["2", "3"]])
    }

    @Test("A failed batch is kept, sent again in order with later entries, and reported")
    func kept() async {
        let shipper = ScriptedShipper([.failed("down"), .failed("down"), .stored])
        let told = Mutex<[TelemetryDiagnostic]>([])
        let logger = bench.logger(shipper, diagnostics: { diagnostic in told.withLock { $0.append(diagnostic) } })
        bench.log(1...2, logger)
        await logger.flush()
        logger.log(event: "3")
        await logger.flush()
        await logger.flush()
        #expect(shipper.events == [["1", "2"], bench.names(1...3), bench.names(1...3)])
        #expect(Set(shipper.batches.map { $0[0].id }).count == 1)
        #expect(told.withLock { $0.map(\.kind) } == [.transportFailed, .transportFailed])
    }

    @Test("While the server is down only the timer sends, not every entry")
    func holdsBack() async {
        let shipper = ScriptedShipper([.failed("down"), .stored])
        let logger = bench.logger(shipper, batchSize: 2)
        bench.log(1...2, logger)
        await shipper.arrival()
        await logger.flushUnderWay()
        bench.log(3...9, logger)
        await bench.clock.sleepers()
        #expect(shipper.batches.count == 1)
        bench.clock.advance(by: .seconds(30))
        await shipper.arrival()
        await logger.flushUnderWay()
        #expect(shipper.events == [["1", "2"], ["1", "2"], ["3", "4"], ["5", "6"], ["7", "8"], ["9"]])
        bench.log(10...11, logger)
        await logger.flushUnderWay()
        #expect(shipper.events.last == ["10", "11"])
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("Nothing is sent before the server's Retry-After")
    func retryAfter() async {
        let shipper = ScriptedShipper([.failed("busy", retryAfter: .seconds(90))])
        let logger = bench.logger(shipper)
        logger.log(event: "1")
        await logger.flush()
        await bench.clock.sleepers()
        #expect(bench.clock.timeToNextWake == .seconds(90))
    }

    @Test("A flush with a time limit returns at the limit while sending continues; a completed flush does not wait for it")
    func limitedFlush() async {
        let shipper = ScriptedShipper()
        let logger = bench.logger(shipper)
        shipper.hold()
        logger.log(event: "1")
        async let flush: Void = logger.flush(within: .seconds(5))
        await shipper.arrival()
        await bench.clock.sleepers()
        #expect(bench.clock.timeToNextWake == .seconds(5))
        bench.clock.advance(by: .seconds(5))
        await flush
        shipper.release()
        await logger.flushUnderWay()
        logger.log(event: "2")
        await logger.flush(within: .seconds(5))
        #expect(shipper.events == [["1"], ["2"]])
    }

    @Test("Waiting entries are sent to the last configured destination")
    func reconfigured() async {
        let first = ScriptedShipper([.failed("down")])
        let second = ScriptedShipper()
        let logger = bench.logger(first)
        bench.log(1...3, logger)
        await logger.flush()
        let told = Mutex<[TelemetryDiagnostic.Kind]>([])
        logger.configure(
            .init(source: .backend, capacity: 2), shipper: second,
            diagnostics: { diagnostic in told.withLock { $0.append(diagnostic.kind) } })
        logger.log(event: "4")
        await logger.flush()
        #expect(second.events == [["debug_log.entries_lost", "3", "4"]])
        #expect(second.batches[0].map(\.source) == [.backend, .ios, .backend])
        second.answerNext(with: .rejected("no"))
        logger.log(event: "5")
        await logger.flush()
        #expect(told.withLock { $0 } == [.eventsDropped])
    }

    @Test("Every entry is sent exactly once and in order, however flushes and entries overlap")
    func overlapping() async {
        let shipper = ScriptedShipper([.failed("down"), .stored, .tooLarge, .stored, .failed("down")])
        let logger = bench.logger(shipper, batchSize: 7)
        await withTaskGroup(of: Void.self) { group in
            for number in 1...100 {
                logger.log(event: "\(number)")
                if number.isMultiple(of: 5) { group.addTask { await logger.flush() } }
                await Task.yield()
            }
        }
        await logger.flush()
        await logger.flush()
        let answers: [Bool] = [false, true, false, true, false]
        let stored = shipper.events.enumerated().filter { $0.offset >= answers.count || answers[$0.offset] }
        #expect(stored.flatMap(\.element) == bench.names(1...100))
    }
}
#endif
