import Foundation
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryHTTP

struct EventSourceTests {
    @Test("The windows double up to the maximum, and a delay is a random part of its window after the relay's Retry-After")
    func schedules() {
        var schedule = ReconnectSchedule(minimum: .seconds(2), maximum: .seconds(60))
        let whole = (0..<8).map { _ in schedule.next(random: 1) }
        #expect(whole == [2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        schedule.reset()
        #expect(schedule.next(random: 0.25) == .milliseconds(500))
        #expect(schedule.next(retryAfter: .seconds(7), random: 0.5) == .seconds(9))
        schedule.slowDown()
        #expect(schedule.next(random: 0.5) == .seconds(30))
    }

    @Test("Clients that lost their relay at the same time reconnect spread over the window, not in one second")
    func spreads() {
        var random = SeededGenerator(seed: randomSeed)
        let delays = (0..<1_000).map { _ in
            var schedule = ReconnectSchedule(minimum: .seconds(2), maximum: .seconds(60))
            var delay = Duration.zero
            for _ in 0..<6 { delay = schedule.next(random: .random(in: 0..<1, using: &random)) }
            return delay
        }
        for second in 0..<60 {
            let count = delays.count { $0 >= .seconds(second) && $0 < .seconds(second + 1) }
            #expect(count < 60, "\(count) of 1,000 reconnect in second \(second), seed \(randomSeed)")
        }
    }

    /// Scripts the outcomes of connections, and records what was requested.
    private actor Script {
        enum Outcome: Sendable {
            case fails(TelemetryTransportError)
            case sends([String])
            case hangs
        }
        private var outcomes: [Outcome]
        private(set) var lastEventIDs: [String?] = []
        private var silent: [AsyncStream<Data>.Continuation] = []
        private let clock: ManualClock
        private let attempts: AsyncStream<Duration>.Continuation

        init(_ outcomes: [Outcome], clock: ManualClock, attempts: AsyncStream<Duration>.Continuation) {
            self.outcomes = outcomes
            self.clock = clock
            self.attempts = attempts
        }

        func connect(_ lastEventID: String?) throws -> EventSource.Connection {
            lastEventIDs.append(lastEventID)
            attempts.yield(clock.now.offset)
            let outcome = outcomes.isEmpty ? .hangs : outcomes.removeFirst()
            switch outcome {
            case .fails(let error): throw error
            case .sends(let pieces):
                let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
                for piece in pieces { continuation.yield(Data(piece.utf8)) }
                continuation.finish()
                return {
                    var iterator = stream.makeAsyncIterator()
                    return await iterator.next()
                }
            case .hangs:
                let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
                silent.append(continuation)
                return {
                    var iterator = stream.makeAsyncIterator()
                    return await iterator.next()
                }
            }
        }
    }

    @Test("A stream that ends or fails is reopened from its last identifier, with growing delays, and after Retry-After")
    func reconnects() async throws {
        let clock = ManualClock()
        let (attempts, continuation) = AsyncStream.makeStream(of: Duration.self)
        let script = Script(
            [
                .sends(["id: 4\ndata: a\n\n", "id: 5\ndata: never com"]),
                .fails(.init(code: .unavailable, message: "away", retryAfter: .seconds(10))),
                .fails(.init(code: .rateLimited, message: "busy")),
                .fails(.init(code: .unauthorized, message: "no")),
                .sends(["data: b\n\n"]),
            ], clock: clock, attempts: continuation)
        // The random number is drawn after all sleepers of the connection have ended and before the delay begins.
        let (draws, drawn) = AsyncStream.makeStream(of: Void.self)
        var configuration = Relay.configuration(clock: clock)
        configuration.random = {
            drawn.yield()
            return 1
        }
        let source = EventSource(configuration: configuration, resumes: true, name: "tests") { try await script.connect($0) }
        var draw = draws.makeAsyncIterator()
        let (occurrences, received) = AsyncStream.makeStream(of: EventSource.Occurrence.self)
        let reading = Task { await source.run { received.yield($0) } }
        var (times, heard) = (attempts.makeAsyncIterator(), occurrences.makeAsyncIterator())

        #expect(await times.next() == .zero)
        #expect(await heard.next() == .opened)
        #expect(await heard.next() == .event(.init(id: "4", name: "message", data: "a")))
        // 2 seconds; 4 after the 10 of Retry-After; 8; the maximum after a refusal.
        var expected = Duration.zero
        for delay in [2, 14, 8, 60] {
            expected += .seconds(delay)
            _ = await draw.next()
            await clock.sleepers()
            #expect(clock.timeToNextWake == .seconds(delay))
            clock.advance(by: .seconds(delay))
            #expect(await times.next() == expected)
        }
        #expect(await heard.next() == .opened)
        #expect(await heard.next() == .event(.init(name: "message", data: "b")))
        #expect(await script.lastEventIDs == [nil, "4", "4", "4", "4"])
        reading.cancel()
        await reading.value
    }

    @Test("A stream without a byte for 45 seconds is reopened; the delay starts at its minimum after a stream that lasted")
    func watchesHeartbeats() async throws {
        let clock = ManualClock()
        let (attempts, continuation) = AsyncStream.makeStream(of: Duration.self)
        let script = Script([.hangs], clock: clock, attempts: continuation)
        // The random number is drawn after all sleepers of the connection have ended and before the delay begins.
        let (draws, drawn) = AsyncStream.makeStream(of: Void.self)
        var configuration = Relay.configuration(clock: clock)
        configuration.random = {
            drawn.yield()
            return 1
        }
        let source = EventSource(configuration: configuration, resumes: true, name: "tests") { try await script.connect($0) }
        var draw = draws.makeAsyncIterator()
        let reading = Task { await source.run { _ in } }
        var times = attempts.makeAsyncIterator()
        for round in 0..<3 {
            #expect(await times.next() == .seconds(round * 47))
            await clock.sleepers()
            #expect(clock.timeToNextWake == .seconds(45))
            clock.advance(by: .seconds(45))
            _ = await draw.next()
            await clock.sleepers()
            #expect(clock.timeToNextWake == .seconds(2))
            clock.advance(by: .seconds(2))
        }
        reading.cancel()
        await reading.value
    }
}
