#if DEBUG
import Foundation
import Synchronization
@testable import TelemetryDebugLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

/// Entries that cannot be kept or that the server refuses.
@MainActor
struct DebugLoggerLossTests {
    private let bench = DebugLoggerBench()

    @Test("Beyond the capacity the oldest entries are dropped, and the next batch has their number")
    func bounded() async {
        let shipper = ScriptedShipper([.failed("down")])
        let logger = bench.logger(shipper, capacity: 10)
        bench.log(1...10, logger)
        await logger.flush()
        bench.log(11...17, logger)
        await logger.flush()
        #expect(shipper.events[1] == ["debug_log.entries_lost"] + bench.names(8...17))
        #expect(shipper.batches[1][0].payload == ["count": 7])
        #expect(shipper.batches[1][0].level == .warn)
        logger.log(event: "18")
        await logger.flush()
        #expect(shipper.events[2] == ["18"])
    }

    @Test("A notice that could not be sent is repeated unchanged; a dropped notice's number is added to the next one")
    func noticeKept() async {
        let shipper = ScriptedShipper([.failed("down"), .failed("down"), .failed("down")])
        let logger = bench.logger(shipper, capacity: 3)
        bench.log(1...3, logger)
        await logger.flush()
        bench.log(4...5, logger)
        await logger.flush()
        #expect(shipper.batches[1][0].payload == ["count": 2])
        // The notice returned before three entries, one too many: it was dropped first, and its number is counted again.
        bench.log(6...7, logger)
        await logger.flush()
        #expect(shipper.events[2] == ["debug_log.entries_lost", "5", "6", "7"])
        #expect(shipper.batches[2][0].payload == ["count": 4])
    }

    @Test("Entries that are dropped during a request are counted too")
    func boundedDuringFlush() async {
        let shipper = ScriptedShipper([.failed("down")])
        let logger = bench.logger(shipper, batchSize: 4, capacity: 4)
        shipper.hold()
        bench.log(1...4, logger)
        await shipper.arrival()
        bench.log(5...7, logger)
        shipper.release()
        await logger.flushUnderWay()
        await logger.flush()
        #expect(shipper.events[1] == ["debug_log.entries_lost"] + bench.names(4...7))
        #expect(shipper.batches[1][0].payload == ["count": 3])
    }

    @Test("A batch that is too large is halved; a single entry that is too large is dropped and reported")
    func tooLarge() async {
        let shipper = ScriptedShipper([.tooLarge, .tooLarge, .tooLarge, .stored, .stored])
        let logger = bench.logger(shipper)
        bench.log(1...4, logger)
        await logger.flush()
        #expect(shipper.events[..<3] == [bench.names(1...4), ["1", "2"], ["1"]])
        #expect(Array(shipper.events[3...].joined()) == ["debug_log.entries_lost", "2", "3", "4"])
        #expect(shipper.batches[3][0].payload == ["count": 1])
    }

    @Test("Refused entries are not sent again, and are reported as lost")
    func refused() async {
        let shipper = ScriptedShipper([.refused([1: "no", 7: "beyond the batch"]), .stored, .rejected("no"), .stored])
        let logger = bench.logger(shipper)
        bench.log(1...3, logger)
        await logger.flush()
        bench.log(4...5, logger)
        await logger.flush()
        bench.log(6...7, logger)
        await logger.flush()
        logger.log(event: "8")
        await logger.flush()
        #expect(
            shipper.events == [
                bench.names(1...3), ["debug_log.entries_lost", "4", "5"], ["6", "7"], ["debug_log.entries_lost", "8"],
            ])
        #expect(shipper.batches[1][0].payload == ["count": 1])
        #expect(shipper.batches[3][0].payload == ["count": 2])
    }
}
#endif
