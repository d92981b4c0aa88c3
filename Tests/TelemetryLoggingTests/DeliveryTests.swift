import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct DeliveryTests {
    @Test("A full batch is sent at once")
    func batchSize() async throws {
        let bench = await Bench.active(.init(batchSize: 3))
        for name in ["1", "2"] { bench.logger.logEvent(name: name) }
        #expect(bench.transport.calls.isEmpty)
        bench.logger.logEvent(name: "3")
        await bench.transport.called(.append)
        #expect(bench.appends == [["1", "2", "3"]])
        for name in ["4", "5", "6"] { bench.logger.logEvent(name: name) }
        await bench.transport.called(.append, atLeast: 2)
        #expect(bench.appends.flatMap { $0 } == ["1", "2", "3", "4", "5", "6"])
    }

    @Test("A batch that is not full is sent when its first event has waited for the interval")
    func interval() async throws {
        let bench = await Bench.active(.init(batchSize: 10, flushInterval: 30))
        bench.logger.logEvent(name: "1")
        await bench.clock.sleepers()
        #expect(bench.clock.timeToNextWake == .seconds(30))
        bench.clock.advance(by: .seconds(20))
        bench.logger.logEvent(name: "2")
        #expect(bench.transport.calls.isEmpty)
        bench.clock.advance(by: .seconds(10))
        await bench.transport.called(.append)
        #expect(bench.appends == [["1", "2"]])
    }

    @Test("A logger without events has no timer")
    func idle() async throws {
        let bench = await Bench.active()
        bench.logger.logEvent(name: "1")
        await bench.logger.flush()
        bench.logger.logEvent(name: "2")
        await bench.clock.sleepers()
        await bench.logger.flush()
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("One append has at most 400 events, whatever the batch size", arguments: [1, 10, 1_000])
    func maximumBatchSize(batchSize: Int) async throws {
        let bench = Bench(.init(batchSize: batchSize))
        for number in 1...1_001 { bench.logger.logEvent(name: "\(number)") }
        await bench.logger.activate(enabled: true)
        await bench.logger.flush()
        #expect(bench.appends.map(\.count) == [400, 400, 201])
    }

    @Test("One append stays within the byte limit, except with a single event above it")
    func maximumBatchBytes() async throws {
        let bench = Bench(.init(maximumBatchBytes: 10_000))
        for number in 1...10 { bench.logger.logEvent(name: "\(number)", property1: String(repeating: "x", count: 3_000)) }
        bench.logger.logEvent(name: "large", property1: String(repeating: "x", count: 30_000))
        await bench.logger.activate(enabled: true)
        await bench.logger.flush()
        #expect(bench.appends.map(\.count) == [2, 2, 2, 2, 2, 1])
    }

    @Test("Flush returns when all events logged before it, on any thread, are stored")
    func flushCovers() async throws {
        let bench = await Bench.active()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 1...8 {
                group.addTask {
                    for number in 1...200 {
                        bench.logger.logEvent(name: "\(worker).\(number)")
                        if number % 50 == 0 {
                            await bench.logger.flush()
                            let mine = try await bench.storedNames.filter { $0.hasPrefix("\(worker).") }
                            #expect(mine == (1...number).map { "\(worker).\($0)" })
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.stored.map(\.sequence) == Array(1...1_600))
    }

    @Test("A flush during another waits for its own events, and shares the delivery")
    func flushJoins() async throws {
        let bench = await Bench.active()
        bench.transport.hold(.append)
        bench.logger.logEvent(name: "1")
        async let first: Void = bench.logger.flush()
        await bench.transport.held(.append)
        bench.logger.logEvent(name: "2")
        async let second: Void = bench.logger.flush()
        async let third: Void = bench.logger.flush()
        bench.transport.release(.append)
        _ = await (first, second, third)
        #expect(bench.appends == [["1"], ["2"]])
    }

    @Test("A cancelled flush returns, and the delivery continues")
    func flushCancelled() async throws {
        let bench = await Bench.active()
        bench.transport.hold(.append)
        bench.logger.logEvent(name: "1")
        let flush = Task { await bench.logger.flush() }
        await bench.transport.held(.append)
        flush.cancel()
        await flush.value
        bench.transport.release(.append)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["1"])
        #expect(bench.appends == [["1"]])
    }

    @Test("A failed append is retried after 1, 2 and 4 seconds, here halved by the jitter; then the interval applies again")
    func backoff() async throws {
        let bench = await Bench.offline(.init(flushInterval: 30, maxRetries: 3))
        bench.logger.logEvent(name: "1")
        await bench.logger.flush()
        for (attempt, wait) in [500, 1_000, 2_000, 30_000, 500].enumerated() {
            await bench.clock.sleepers()
            #expect(bench.clock.timeToNextWake == .milliseconds(wait))
            bench.clock.advance(by: .milliseconds(wait))
            await bench.transport.called(.append, atLeast: attempt + 2)
        }
        bench.transport.isOffline = false
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["1"])
        #expect(bench.logger.statistics.retries >= 4)
        #expect(bench.logger.statistics.dropped.isEmpty)
        #expect(bench.diagnostics.kinds.allSatisfy { $0 == .transportFailed })
    }

    @Test("Delays double up to five minutes, and the jitter is a part of them", arguments: [0, 0.25, 1])
    func longestBackoff(jitter: Double) async throws {
        let bench = Bench(.init(flushInterval: 3_600, maxRetries: 11), jitter: { jitter })
        await bench.logger.activate(enabled: true)
        bench.transport.isOffline = true
        bench.logger.logEvent(name: "1")
        await bench.logger.flush()
        for (retry, wait) in ([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { $0 * jitter } + [3_600]).enumerated() {
            // Without any delay the retries follow at once.
            if wait == 0 { continue }
            await bench.clock.sleepers()
            #expect(bench.clock.timeToNextWake == .seconds(wait))
            bench.clock.advance(by: .seconds(wait))
            await bench.transport.called(.append, atLeast: retry + 2)
        }
    }

    @Test("The store's retryAfter is respected, and flush does not wait for it")
    func retryAfter() async throws {
        let bench = await Bench.active()
        bench.transport.fail(.append, with: TelemetryTransportError.test(.rateLimited, retryAfter: .seconds(77)))
        bench.logger.logEvent(name: "1")
        await bench.logger.flush()
        await bench.clock.sleepers()
        #expect(bench.clock.timeToNextWake == .seconds(77))
        bench.logger.logEvent(name: "2")
        #expect(bench.appends == [["1"]])
        await bench.logger.flush()
        #expect(bench.appends == [["1"], ["1", "2"]])
        #expect(try await bench.storedNames == ["1", "2"])
    }

    @Test("During a backoff full batches wait too")
    func backoffHoldsBatches() async throws {
        let bench = await Bench.active(.init(batchSize: 2))
        bench.transport.fail(.append)
        bench.logger.logEvent(name: "1")
        await bench.logger.flush()
        await bench.clock.sleepers()
        for number in 2...20 { bench.logger.logEvent(name: "\(number)") }
        #expect(bench.appends == [["1"]])
        bench.clock.advance(by: .milliseconds(500))
        await bench.transport.called(.append, atLeast: 2)
        #expect(bench.appends.last?.count == 20)
    }

    struct Stranger: Error {}

    @Test(
        "After a transport error that is not a verdict on an event, nothing is lost",
        arguments: [
            Stranger(), CancellationError(), TelemetryTransportError.test(.unauthorized), TelemetryTransportError.test(.closed),
            TelemetryTransportError.test(.unavailable), TelemetryTransportError.test(.corrupted),
        ] as [any Error])
    func foreignErrors(error: any Error) async throws {
        let bench = await Bench.active()
        bench.transport.fail(.append, with: error, times: 2)
        bench.logger.logEvent(name: "1")
        await bench.logger.flush()
        await bench.logger.flush()
        #expect(bench.logger.statistics.waiting == 1)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["1"])
    }

    @Test("An append whose answer is lost is repeated with the same identifiers: each event is stored once")
    func lostAnswer() async throws {
        let bench = await Bench.active()
        bench.transport.fail(.append, with: MockTelemetryTransport.unavailable, times: 1, .afterEffect)
        for number in 1...5 { bench.logger.logEvent(name: "\(number)") }
        await bench.logger.flush()
        bench.logger.logEvent(name: "6")
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.sequence) == [1, 2, 3, 4, 5, 6])
        #expect(bench.logger.statistics.delivered == 6)
    }

    @Test("Retries, deliveries and waiting events are counted")
    func statistics() async throws {
        let bench = await Bench.active()
        bench.transport.fail(.append, times: 2)
        bench.logger.logEvent(name: "1")
        await bench.logger.flush()
        bench.logger.logEvent(name: "2")
        #expect(bench.logger.statistics.waiting == 2)
        await bench.logger.flush()
        await bench.logger.flush()
        var expected = TelemetryLogger.Statistics()
        #expect(bench.logger.statistics != expected)
        expected = bench.logger.statistics
        #expect(expected.logged == 2 && expected.delivered == 2 && expected.waiting == 0 && expected.retries == 2)
    }
}
