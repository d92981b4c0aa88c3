import TelemetryModels
import TelemetrySystem
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct EventStreamTests {
    private let mock = MockTelemetryTransport()

    @Test("Pages are read only when the consumer requests events")
    func readsLazily() async throws {
        try await mock.append(TelemetryFixtures.events(1...1_200))
        var events = mock.eventStream().makeAsyncIterator()
        #expect(mock.calls(of: .events).isEmpty)
        for sequence in 1...500 { #expect(try await events.next()?.sequence == UInt64(sequence)) }
        #expect(mock.calls(of: .events).count == 1)
        #expect(try await events.next()?.sequence == 501)
        #expect(mock.calls(of: .events).count == 2)
    }

    @Test("A read error ends the stream; a new stream starts again")
    func throwsAndEnds() async throws {
        try await mock.append(TelemetryFixtures.events(1...2))
        mock.fail(.events)
        var events = mock.eventStream().makeAsyncIterator()
        await #expect(throws: TelemetryTransportError.self) { try await events.next() }
        #expect(try await events.next() == nil)
        var again = mock.eventStream().makeAsyncIterator()
        #expect(try await again.next()?.sequence == 1)
    }

    @Test("A consumer that stops early leaves no arrival stream behind")
    func stops() async throws {
        try await mock.append(TelemetryFixtures.events(1...3))
        let consumer = Task { [mock] in
            for try await event in mock.eventStream() where event.sequence == 4 { break }
        }
        await mock.called(.events, atLeast: 2)
        #expect(mock.store.arrivalStreams.hasConsumers)
        try await mock.append(TelemetryFixtures.events(4...4))
        try await consumer.value
        #expect(!mock.store.arrivalStreams.hasConsumers)
    }

    @Test("Following waits for an arrival instead of polling")
    func waitsForHints() async throws {
        let store = mock.store
        try await store.append(TelemetryFixtures.events(1...1))
        var events = mock.eventStream().makeAsyncIterator()
        #expect(try await events.next()?.sequence == 1)
        let next = Task { [events] in
            var events = events
            return try await events.next()
        }
        await mock.called(.events, atLeast: 2)
        try await store.append(TelemetryFixtures.events(2...2))
        #expect(try await next.value?.sequence == 2)
        // The first page, what arrived before the arrivals were requested, and the page with the event.
        #expect(mock.calls(of: .events).count <= 3)
    }

    @Test("A broadcast reaches every stream that has not ended")
    func broadcaster() async {
        let broadcaster = StreamBroadcaster<Int>(buffering: .unbounded)
        #expect(!broadcaster.hasConsumers)
        var (first, second) = (broadcaster.stream().makeAsyncIterator(), broadcaster.stream().makeAsyncIterator())
        #expect(broadcaster.hasConsumers)
        broadcaster.yield(1)
        broadcaster.yield(2)
        #expect(await first.next() == 1)
        #expect(await second.next() == 1)
        broadcaster.finish()
        #expect(await first.next() == 2)
        #expect(await first.next() == nil)
        #expect(!broadcaster.hasConsumers)
    }

    @Test("Ticks come after every interval, are not queued, and end with the consumer")
    func ticks() async {
        let clock = ManualClock()
        let stream = AsyncStream.ticks(every: .seconds(1), clock: clock)
        var ticks = stream.makeAsyncIterator()
        for _ in 0..<3 {
            await clock.sleepers()
            clock.advance(by: .seconds(1))
            #expect(await ticks.next() != nil)
        }
        for _ in 0..<2 {
            await clock.sleepers()
            clock.advance(by: .seconds(1))
        }
        await clock.sleepers()
        #expect(await ticks.next() != nil)
        let next = Task { [ticks] in
            var ticks = ticks
            return await ticks.next()
        }
        next.cancel()
        #expect(await next.value == nil)
    }
}
