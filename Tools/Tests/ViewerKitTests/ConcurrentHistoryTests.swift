import Foundation
import Synchronization
import TelemetryModels
import TelemetryTransport
import Testing

@testable import ViewerKit

struct ConcurrentHistoryTests {
    @Test("Two requests for the same earlier period, the second before the first has its answer, insert its events once")
    func samePeriod() async throws {
        let store = InMemoryTelemetryTransport()
        try await store.append((0..<100).map { WatchedEvents.event($0 - 100, age: 660 + Double(100 - $0)) })
        let transport = SlowCounts(store: store)
        let history = EventHistory(transport: transport, filter: .init(since: WatchedEvents.now - 600))
        async let first = history.page(.older(than: 0))
        await transport.counting(1)
        async let second = history.page(.older(than: 0))
        await transport.counting(2)
        transport.release()
        let pages = try await [first, second]
        #expect(pages.map(\.range) == [-100..<0, -100..<0])
        let before = try await history.page(.older(than: -100))
        #expect(before.isEmpty)
    }
}

/// A store that answers the first two counts only when told to.
private final class SlowCounts: TelemetryEventTransport {
    private let store: InMemoryTelemetryTransport
    private let started = AsyncStream.makeStream(of: Int.self)
    private let released = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    init(store: InMemoryTelemetryTransport) { self.store = store }

    /// Returns once this number of counts waits.
    func counting(_ number: Int) async {
        for await count in started.stream where count == number { return }
    }

    func release() {
        let waiting = released.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        await withCheckedContinuation { continuation in
            let count = released.withLock { state -> Int? in
                guard !state.isOpen else { return nil }
                state.waiting.append(continuation)
                return state.waiting.count
            }
            if let count { started.continuation.yield(count) } else { continuation.resume() }
        }
        return try await store.countEvents(matching: filter)
    }

    func append(_ events: [TelemetryEvent]) async throws { try await store.append(events) }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try await store.events(matching: filter, after: cursor, limit: limit)
    }

    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await store.deleteEvents(matching: filter)
    }
}
