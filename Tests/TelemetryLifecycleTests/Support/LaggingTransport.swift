import Synchronization
import TelemetryModels
import TelemetryTransport

/// A transport whose queries find nothing while they lag; reads by identifier succeed.
final class LaggingTransport: TelemetryTransporting {
    let store = InMemoryTelemetryTransport()
    let consistencyDelay = Duration.seconds(60)
    private let state = Mutex((isLagging: false, calls: 0))

    var isLagging: Bool {
        get { state.withLock(\.isLagging) }
        set { state.withLock { $0.isLagging = newValue } }
    }
    /// The number of calls.
    var calls: Int { state.withLock(\.calls) }

    private func count() { state.withLock { $0.calls += 1 } }

    func append(_ events: [TelemetryEvent]) async throws { try await store.append(events) }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage { try await store.events(matching: filter, after: cursor, limit: limit) }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await store.countEvents(matching: filter)
    }

    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        count()
        return isLagging ? 0 : try await store.deleteEvents(matching: filter)
    }

    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        count()
        return try await store.save(records, policy: policy)
    }

    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        count()
        return try await store.record(withID: id)
    }

    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        count()
        return isLagging ? [] : try await store.records(matching: query)
    }

    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        count()
        return try await store.deleteRecords(withIDs: ids)
    }

    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try await store.save(subscription)
    }

    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try await store.subscription(withID: id)
    }

    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await store.deleteSubscription(withID: id)
    }

    func notifications() -> AsyncStream<TelemetryNotification> { store.notifications() }
    func validateSchema() async -> Bool { true }
    func debugInfo() async -> DebugInfo { await store.debugInfo() }
}
