@_spi(Tooling) import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import ViewerKit
@testable import telemetry

struct WatchedEventFeedTests {
    private let transport = MockTelemetryTransport()
    /// What the view was passed, in order.
    private let updates = AsyncStream.makeStream(of: String.self)

    private func event(_ number: Int) -> TelemetryEvent {
        TelemetryEvent(clientId: "k7wq", sessionId: "s", sequence: UInt64(number), name: "e\(number)")
    }

    /// Follows the events, and yields what the view is passed.
    private func follow(
        _ filter: WatchFilter, after position: TelemetryCursor? = nil, history: EventHistory? = nil
    ) -> Task<Void, any Error> {
        let events = WatchedEventFeed(
            transport: transport, location: .directory(StoreDirectory(path: "/store")), filter: filter,
            history: history ?? EventHistory(transport: transport, filter: filter.events), position: position)
        let updates = updates.continuation
        return Task {
            try await events.follow { newest, _, hasMore in
                updates.yield("start \(newest.map(\.name)) \(hasMore)")
                return true
            } count: {
                updates.yield("count \($0)")
            } page: { page in
                if !page.events.isEmpty { updates.yield("page \(page.events.map(\.name))") }
                return page.events.count
            } problem: {
                updates.yield("problem \($0)")
            }
        }
    }

    @Test("The newest events that match are passed first; their number is asked for once; new events follow")
    func order() async throws {
        try await transport.store.append((1...3).map(event))
        let following = follow(try WatchFilter(.init(names: ["e2", "e4"]), severity: .info))
        var updates = updates.stream.makeAsyncIterator()
        #expect(await updates.next() == "start [\"e2\"] false")
        #expect(await updates.next() == "count 1")
        try await transport.append((4...5).map(event))
        #expect(await updates.next() == "page [\"e4\"]")
        #expect(transport.calls(of: .countEvents).count == 1)
        following.cancel()
        _ = await following.result
    }

    private static let refusal = TelemetryTransportError(code: .quotaExceeded, message: "The query takes too long.")

    @Test("Without the newest events, which the store refuses, new ones follow, and the stored ones are read on request")
    func refused() async throws {
        try await transport.store.append((1...3).map(event))
        let page = try await transport.store.events(matching: .all, after: nil, limit: 2)
        transport.fail(.events, with: Self.refusal)
        let filter = try WatchFilter(.all, severity: .info)
        let history = EventHistory(transport: transport, filter: filter.events)
        let following = follow(filter, after: page.cursor, history: history)
        var updates = updates.stream.makeAsyncIterator()
        #expect(await updates.next() == "start [] true")
        #expect(await updates.next() == "problem The query takes too long.")
        #expect(await updates.next() == "page [\"e3\"]")
        #expect(transport.calls(of: .countEvents).isEmpty)
        #expect(try await history.page(.older(than: 0)).range == -2..<0)
        following.cancel()
        _ = await following.result
    }

    @Test("After an error that may pass, the newest events are read again")
    func retry() async throws {
        try await transport.store.append((1...3).map(event))
        let page = try await transport.store.events(matching: .all, after: nil, limit: 2)
        transport.fail(.events, with: TelemetryTransportError(code: .unavailable, message: "no", retryAfter: .zero), times: 2)
        let following = follow(WatchFilter(), after: page.cursor)
        var updates = updates.stream.makeAsyncIterator()
        for _ in 0..<2 { #expect(await updates.next()?.hasPrefix("problem ") == true) }
        #expect(await updates.next() == "start [\"e1\", \"e2\", \"e3\"] false")
        following.cancel()
        _ = await following.result
    }

    @Test("If the store refuses the view's first filter, new events follow those that the command line selects")
    func refusedAtStart() async throws {
        try await transport.store.append((1...3).map(event))
        let filter = try WatchFilter(.init(names: ["e1", "e4"]), severity: .info)
        transport.fail(.events, with: Self.refusal)
        let following = follow(filter)
        var updates = updates.stream.makeAsyncIterator()
        #expect(await updates.next() == "start [] true")
        #expect(await updates.next() == "problem The query takes too long.")
        try await transport.append((4...5).map(event))
        #expect(await updates.next() == "page [\"e4\"]")
        following.cancel()
        _ = await following.result
    }

    @Test("After two changes of the filter while the events are read, those of the last one are passed, each once")
    func changes() async throws {
        try await transport.store.append((1...3).map(event))
        let position = try await transport.store.events(matching: .all, after: nil, limit: 5).cursor
        transport.hold(.events)
        let first = follow(try WatchFilter(.all, severity: .error), after: position)
        await transport.held(.events)
        try await transport.store.append([event(4)])
        first.cancel()
        let second = follow(WatchFilter(), after: position)
        await transport.held(.events)
        transport.release(.events)
        var updates = updates.stream.makeAsyncIterator()
        #expect(await updates.next() == "start [\"e1\", \"e2\", \"e3\", \"e4\"] false")
        #expect(await updates.next() == "count 4")
        try await transport.append([event(5)])
        #expect(await updates.next() == "page [\"e5\"]")
        second.cancel()
        for task in [first, second] { _ = await task.result }
    }

    @Test("At the start, the store's error ends the view, unless it concerns only the narrower filter")
    func failure() async throws {
        for (filter, times) in [(WatchFilter(), 1), (try WatchFilter(.all, severity: .info), 2)] {
            transport.fail(.events, with: TelemetryTransportError(code: .unauthorized, message: "no"), times: times)
            await #expect(throws: TelemetryTransportError.self) { try await follow(filter).value }
        }
    }
}
