import Synchronization
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport

/// A transport to a store that outlives it, until it is cut off because its process is killed.
final class ModelLine: TelemetryEventTransport {
    enum Mood: Sendable, CaseIterable { case well, failsBefore, failsAfter, failsEveryThird, cut }

    private let store: InMemoryTelemetryTransport
    private let state = Mutex((mood: Mood.well, calls: 0))

    init(store: InMemoryTelemetryTransport) { self.store = store }

    func set(_ mood: Mood) { state.withLock { if $0.mood != .cut { $0.mood = mood } } }

    func append(_ events: [TelemetryEvent]) async throws {
        let (mood, call) = state.withLock { state in
            state.calls += 1
            return (state.mood, state.calls)
        }
        let isFailing = mood == .failsBefore || mood == .cut || (mood == .failsEveryThird && call % 3 == 0)
        if isFailing { throw TelemetryTransportError.test(.unavailable) }
        if mood == .failsAfter {
            // Part of the batch is stored, and the answer is lost.
            try await store.append(Array(events.prefix(events.count / 2 + 1)))
            throw TelemetryTransportError.test(.unavailable)
        }
        try await store.append(events)
    }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage { try await store.events(matching: filter, after: cursor, limit: limit) }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
}
