import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing
import ViewerKit

@testable import telemetry

struct WatchedEventsTests {
    private let transport = MockTelemetryTransport()
    /// What the view was passed, in order.
    private let updates = AsyncStream.makeStream(of: String.self)

    private func event(_ number: Int) -> TelemetryEvent {
        TelemetryEvent(clientId: "k7wq", sessionId: "s", sequence: UInt64(number), name: "e\(number)")
    }

    /// Follows the events, and yields what the view is passed.
    private func follow(_ filter: WatchFilter, after position: TelemetryCursor? = nil) -> Task<Void, any Error> {
        let events = WatchedEvents(
            transport: transport, location: .directory(StoreDirectory(path: "/store")), filter: filter,
            history: EventHistory(transport: transport, filter: filter.events), position: position)
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

    @Test("A filter that the store refuses is a problem, and new events follow those of the filter before")
    func refused() async throws {
        try await transport.store.append((1...3).map(event))
        let page = try await transport.store.events(matching: .all, after: nil, limit: 2)
        let refusal = TelemetryTransportError(code: .quotaExceeded, message: "The query takes too long.")
        transport.fail(.events, with: refusal)
        let following = follow(try WatchFilter(.all, severity: .error), after: page.cursor)
        var updates = updates.stream.makeAsyncIterator()
        #expect(await updates.next() == "start [] true")
        #expect(await updates.next() == "problem The query takes too long.")
        #expect(await updates.next() == "page [\"e3\"]")
        #expect(transport.calls(of: .countEvents).isEmpty)
        following.cancel()
        _ = await following.result
    }

    @Test("At the start, the store's error ends the view")
    func failure() async throws {
        transport.fail(.events, with: TelemetryTransportError(code: .unauthorized, message: "no"))
        await #expect(throws: TelemetryTransportError.self) { try await follow(WatchFilter()).value }
    }
}
