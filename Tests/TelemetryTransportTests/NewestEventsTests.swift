import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct NewestEventsTests {
    @Test(
        "A transport that is read only forwards, in pages that may be short, returns the newest events",
        arguments: [1, 7, 30, 500])
    func shortPages(limit: Int) async throws {
        let store = InMemoryTelemetryTransport()
        let events = (0..<101).map { TelemetryFixtures.event(UInt64($0)) }
        try await store.append(events)
        let transport = ShortPagesTransport(store, maximum: 10)
        let page = try await transport.newestEvents(limit: limit)
        #expect(page.events.map(\.sequence) == events.suffix(limit).map(\.sequence))
        #expect(page.hasMore == (limit < 101))
        let start = try await transport.events(matching: .all, after: page.start, limit: 1)
        #expect(start.events.first?.sequence == page.events.first?.sequence)
    }
}
