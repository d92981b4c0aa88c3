#if DEBUG
import Foundation
import TelemetryTestSupport
import Testing

@testable import TelemetryDebugLogging

/// The limits of the bytes that wait and of the bytes in a batch.
@MainActor
struct DebugLogBoundsTests {
    private let clock = ManualClock()
    private let shipper = ScriptedShipper()

    private func logger(batchByteSize: Int = .max, byteCapacity: Int = .max) -> DebugLogger {
        DebugLogger(
            configuration: .init(batchByteSize: batchByteSize, byteCapacity: byteCapacity), shipper: shipper, clock: clock)
    }

    private func log(_ range: ClosedRange<Int>, bytes: Int, _ logger: DebugLogger) {
        let text = DebugLogEntry.Value.string(String(repeating: "x", count: bytes))
        for number in range { logger.log(event: "\(number)", payload: ["nested": [["text": text]]]) }
    }

    @Test("Beyond the byte limit the oldest entries are dropped, and the next batch has their number")
    func capacity() async {
        shipper.answerNext(with: .failed("down"), .failed("down"))
        let logger = logger(byteCapacity: 100_000)
        log(1...9, bytes: 10_000, logger)
        await logger.flush()
        #expect(shipper.batches[0].count == 9)
        log(10...12, bytes: 10_000, logger)
        await logger.flush()
        #expect(shipper.events[1] == ["debug_log.entries_lost"] + (4...12).map { "\($0)" })
        #expect(shipper.batches[1][0].payload == ["count": 3])
        // Small entries displace no more than necessary.
        log(13...30, bytes: 1, logger)
        await logger.flush()
        #expect(shipper.events[2] == ["debug_log.entries_lost"] + (5...30).map { "\($0)" })
        #expect(shipper.batches[2][0].payload == ["count": 4])
    }

    @Test("An entry above the byte limit is dropped and reported")
    func giant() async {
        let logger = logger(byteCapacity: 50_000)
        log(1...1, bytes: 50_001, logger)
        await logger.flush()
        #expect(shipper.batches.isEmpty)
        log(2...2, bytes: 1, logger)
        await logger.flush()
        #expect(shipper.events == [["debug_log.entries_lost", "2"]])
    }

    @Test("A batch is sent at its byte limit, before its count is reached, and exceeds the limit only with a single entry")
    func batches() async {
        let logger = logger(batchByteSize: 25_000)
        log(1...2, bytes: 10_000, logger)
        await clock.sleepers()
        #expect(shipper.batches.isEmpty)
        log(3...3, bytes: 10_000, logger)
        await shipper.arrival()
        await logger.flush()
        log(4...4, bytes: 90_000, logger)
        await logger.flush()
        #expect(shipper.events == [["1", "2"], ["3"], ["4"]])
    }

    @Test("An entry's estimated size is at least its size as JSON", arguments: [0, 10, 1000])
    func estimate(count: Int) throws {
        let payload: [String: DebugLogEntry.Value] = [
            "numbers": .array((0..<count).map { .double(-1.2345678901234567e-300 * Double($0 + 1)) }),
            "flags": .array((0..<count).map { .bool($0 % 2 == 0) }), "text": .string(String(repeating: "é", count: count)),
            "object": .object(Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", .null) })),
        ]
        let entry = DebugLogEntry(event: "e", payload: payload, deviceId: UUID(), sessionId: UUID())
        let json = try JSONEncoder().encode(entry).count
        #expect(entry.approximateSize >= json)
        #expect(entry.approximateSize < json * 4 + 1000)
    }
}
#endif
