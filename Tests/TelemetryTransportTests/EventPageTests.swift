import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct EventPageTests {
    private let mock = MockTelemetryTransport()

    @Test("Pages hold the stored events, then new ones, and their cursors continue the stream")
    func follows() async throws {
        try await mock.append(TelemetryFixtures.events(1...700))
        var pages = mock.eventPages().makeAsyncIterator()
        let first = try #require(try await pages.next())
        #expect(first.events.map(\.sequence) == Array(1...500 as ClosedRange<UInt64>))
        #expect(first.hasMore)
        let second = try #require(try await pages.next())
        #expect(second.events.map(\.sequence) == Array(501...700 as ClosedRange<UInt64>))
        #expect(!second.hasMore)
        let next = Task { [pages] in
            var pages = pages
            return try await pages.next()
        }
        try await mock.append(TelemetryFixtures.events(701...701))
        #expect(try await next.value?.events.map(\.sequence) == [701])
        var again = mock.eventPages(after: first.cursor).makeAsyncIterator()
        #expect(try await again.next()?.events.map(\.sequence) == Array(501...701 as ClosedRange<UInt64>))
    }

    @Test("The first page of an empty store is empty; arrivals without matching events yield no further page")
    func empty() async throws {
        var pages = mock.eventPages(matching: .init(clientId: "other")).makeAsyncIterator()
        let first = try #require(try await pages.next())
        #expect(first.events.isEmpty && !first.hasMore)
        let next = Task { [pages] in
            var pages = pages
            return try await pages.next()
        }
        // The page, and what arrived before the arrivals were requested.
        await mock.called(.events, atLeast: 2)
        mock.store.arrivalStreams.yield(())
        await mock.called(.events, atLeast: 3)
        try await mock.append([TelemetryFixtures.event(1, clientId: "other")])
        #expect(try await next.value?.events.map(\.clientId) == ["other"])
    }

    @Test("At most one page is read ahead of the consumer")
    func readsAhead() async throws {
        try await mock.append(TelemetryFixtures.events(1...5_000))
        let pages = mock.eventPages()
        #expect(mock.calls(of: .events).isEmpty)
        var iterator = pages.makeAsyncIterator()
        for number in 1...9 {
            #expect(try await iterator.next()?.events.count == 500)
            await mock.called(.events, atLeast: number + 1)
            #expect(mock.calls(of: .events).count == number + 1)
        }
        #expect(try await iterator.next()?.events.count == 500)
        #expect(mock.calls(of: .events).count == 10)
    }

    @Test("A failed read-ahead is thrown in its turn and ends the pages")
    func failsAhead() async throws {
        try await mock.append(TelemetryFixtures.events(1...1_000))
        mock.fail(.events) { call in if case .events(_, after: .some, limit: _) = call { true } else { false } }
        var pages = mock.eventPages().makeAsyncIterator()
        #expect(try await pages.next()?.events.count == 500)
        await #expect(throws: TelemetryTransportError.self) { try await pages.next() }
        #expect(try await pages.next() == nil)
    }

    @Test("Cancelling the consumer ends the pages, during a read-ahead and while waiting for arrivals")
    func cancelled() async throws {
        for count in [600, 1] as [UInt64] {
            let clock = ManualClock()
            let mock = MockTelemetryTransport(latency: .seconds(1), clock: clock)
            try await mock.store.append(TelemetryFixtures.events(1...count))
            let seen = AsyncStream.makeStream(of: Int.self)
            let consumer = Task {
                for try await page in mock.eventPages() { seen.continuation.yield(page.events.count) }
                seen.continuation.finish()
            }
            await clock.sleepers()
            clock.advance(by: .seconds(1))
            var pages = seen.stream.makeAsyncIterator()
            #expect(await pages.next() == min(Int(count), 500))
            if count == 1 {
                // The read at the end; then the consumer waits.
                await clock.sleepers()
                #expect(mock.store.arrivalStreams.hasConsumers)
                clock.advance(by: .seconds(1))
            }
            consumer.cancel()
            _ = await consumer.result
            seen.continuation.finish()
            #expect(await pages.next() == nil)
            #expect(!mock.store.arrivalStreams.hasConsumers)
        }
    }
}
