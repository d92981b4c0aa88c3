import Foundation
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import ViewerKit

struct ConcurrentHistoryTests {
    @Test("Two requests for the same earlier page, the second before the first has its answer, insert its events once")
    func samePage() async throws {
        let transport = MockTelemetryTransport()
        try await transport.store.append((0..<100).map { WatchedEvents.event($0 - 100, age: 660 + Double(100 - $0)) })
        let history = EventHistory(transport: transport, filter: .init(since: WatchedEvents.now - 600))
        transport.hold(.events)
        async let first = history.page(.older(than: 0))
        await transport.held(.events)
        async let second = history.page(.older(than: 0))
        await transport.held(.events, atLeast: 2)
        transport.release(.events)
        let pages = try await [first, second]
        #expect(pages.map(\.range) == [-100..<0, -100..<0])
        let before = try await history.page(.older(than: -100))
        #expect(before.isEmpty)
    }
}
