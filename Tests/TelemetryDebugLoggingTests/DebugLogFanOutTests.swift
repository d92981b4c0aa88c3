#if DEBUG
import Foundation
import TelemetryTestSupport
import Testing

@testable import TelemetryDebugLogging

@MainActor
struct DebugLogFanOutTests {
    private let clock = ManualClock()
    private let entries = (1...3).map { DebugLogEntry(event: "\($0)", sessionId: UUID()) }

    private func logger(_ shippers: ScriptedShipper..., capacity: Int = 1000) -> DebugLogger {
        DebugLogger(
            configuration: .init(batchSize: 2, capacity: capacity), shipper: DebugLogFanOut(shippers), clock: clock)
    }

    private func log(_ range: ClosedRange<Int>, _ logger: DebugLogger) {
        for number in range { logger.log(event: "\(number)") }
    }

    @Test("A destination gets each entry once, and without delay, whatever happens at the others")
    func apart() async {
        let good = ScriptedShipper()
        let bad = ScriptedShipper([.failed("down"), .failed("down"), .tooLarge, .refused([0: "no"])])
        let logger = logger(good, bad)
        log(1...5, logger)
        await logger.flush()
        log(6...6, logger)
        await logger.flush()
        await logger.flush()
        #expect(good.events == [["1", "2"], ["3", "4"], ["5"], ["6"]])
        #expect(bad.events[..<4] == [["1", "2"], ["1", "2"], ["1", "2"], ["1"]])
        #expect(bad.events[4...].joined().elementsEqual(["debug_log.entries_lost", "2", "3", "4", "5", "6"]))
    }

    @Test("Entries lost for one destination are reported only to it")
    func loss() async {
        let good = ScriptedShipper()
        let bad = ScriptedShipper([.failed("down")])
        let logger = logger(good, bad, capacity: 2)
        for number in 1...4 {
            log(number...number, logger)
            await logger.flush()
            if number == 1 { bad.answerNext(with: .failed("down"), .failed("down")) }
        }
        #expect(good.events == [["1"], ["2"], ["3"], ["4"]])
        #expect(bad.events.last == ["debug_log.entries_lost", "3", "4"])
        #expect(bad.batches.last?.first?.payload == ["count": 2])
    }

    @Test("A destination that stalls does not delay the others")
    func stall() async {
        let good = ScriptedShipper()
        let stalled = ScriptedShipper()
        stalled.hold()
        let logger = logger(good, stalled)
        log(1...2, logger)
        await stalled.arrival()
        await good.arrival()
        log(3...4, logger)
        await good.arrival()
        #expect(good.events == [["1", "2"], ["3", "4"]])
        #expect(stalled.events == [["1", "2"]])
        stalled.release()
        await logger.flush()
        #expect(stalled.events == good.events)
    }

    @Test("A new destination begins with the entries that wait for the first; a nested fan-out adds its destinations")
    func reconfigured() async {
        let first = ScriptedShipper([.failed("down")])
        let logger = logger(first)
        log(1...1, logger)
        await logger.flush()
        let others = [ScriptedShipper(), ScriptedShipper(), ScriptedShipper()]
        logger.configure(
            logger.configuration, shipper: DebugLogFanOut([others[0], DebugLogFanOut([others[1], others[2]])]))
        log(2...2, logger)
        await logger.flush()
        for other in others { #expect(other.events == [["1", "2"]]) }
        #expect(first.events == [["1"]])
        logger.configure(logger.configuration, shipper: others[0])
        log(3...3, logger)
        await logger.flush()
        #expect(others.map(\.batches.count) == [2, 1, 1])
    }

    @Test("Without a logger all destinations get the batch concurrently, and failures and refusals are combined")
    func joined() async {
        let answers: [(DebugLogShipment, DebugLogShipment, DebugLogShipment)] = [
            (.stored, .stored, .stored), (.stored, .failed("a"), .failed("a")), (.tooLarge, .stored, .tooLarge),
            (.tooLarge, .failed("a"), .failed("a")), (.refused([1: "a"]), .refused([2: "b"]), .refused([1: "a", 2: "b"])),
            (.refused([1: "a"]), .rejected("b"), .rejected("b")), (.stored, .refused([1: "a"]), .refused([1: "a"])),
        ]
        for (first, second, expected) in answers {
            let shippers = [ScriptedShipper([first]), ScriptedShipper([second])]
            #expect(await DebugLogFanOut(shippers).ship(entries) == expected)
            #expect(shippers.map(\.batches) == [[entries], [entries]])
        }
    }
}
#endif
