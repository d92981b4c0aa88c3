import Synchronization
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport

/// A transport whose calls hang, even if they are cancelled, until they are released; then they take effect.
final class HangingTransport: TelemetryTransporting {
    private struct State {
        var isHanging = false
        var followerEnds: AsyncStream<Void>.Continuation?
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    let store = InMemoryTelemetryTransport()
    private let state = Mutex(State())

    func hang() { state.withLock { $0.isHanging = true } }

    /// Lets later calls take effect; those that hang keep hanging.
    func letOthersPass() { state.withLock { $0.isHanging = false } }

    /// Releases the calls that hang, and lets later ones take effect.
    func letGo() {
        let waiting = state.withLock { state in
            state.isHanging = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for call in waiting { call.resume() }
    }

    /// Returns once at least `count` calls hang.
    func hanging(atLeast count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isSo = state.withLock { state in
                if state.waiting.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isSo { continuation.resume() }
        }
    }

    /// Makes later notification streams empty. Returns an element for each of them that ends.
    func watchFollowers() -> AsyncStream<Void> {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.followerEnds = continuation }
        return ends
    }

    private func pass() async {
        await withCheckedContinuation { continuation in
            let (passes, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                guard state.isHanging else { return (true, []) }
                state.waiting.append(continuation)
                let count = state.waiting.count
                defer { state.watchers.removeAll { $0.count <= count } }
                return (false, state.watchers.filter { $0.count <= count }.map(\.continuation))
            }
            for watcher in watchers { watcher.resume() }
            if passes { continuation.resume() }
        }
    }

    func append(_ events: [TelemetryEvent]) async throws {
        await pass()
        try await store.append(events)
    }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        await pass()
        return try await store.events(matching: filter, after: cursor, limit: limit)
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        await pass()
        return try await store.countEvents(matching: filter)
    }

    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        await pass()
        return try await store.deleteEvents(matching: filter)
    }

    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        await pass()
        return try await store.save(records, policy: policy)
    }

    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        await pass()
        return try await store.record(withID: id)
    }

    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        await pass()
        return try await store.records(matching: query)
    }

    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        await pass()
        return try await store.deleteRecords(withIDs: ids)
    }

    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        await pass()
        return try await store.save(subscription)
    }

    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        await pass()
        return try await store.subscription(withID: id)
    }

    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        await pass()
        try await store.deleteSubscription(withID: id)
    }

    func notifications() -> AsyncStream<TelemetryNotification> {
        guard let ends = state.withLock(\.followerEnds) else { return store.notifications() }
        return AsyncStream { $0.onTermination = { _ in ends.yield() } }
    }
    func validateSchema() async -> Bool { true }
    func debugInfo() async -> DebugInfo { await store.debugInfo() }
}
