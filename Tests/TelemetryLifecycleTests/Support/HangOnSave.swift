import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport

/// A transport whose saves of records hang, in a `HangingTransport`; all other calls return.
struct HangOnSave: TelemetryTransporting {
    let hanging: HangingTransport

    init(_ hanging: HangingTransport) { self.hanging = hanging }

    private var store: InMemoryTelemetryTransport { hanging.store }

    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try await hanging.save(records, policy: policy)
    }

    func append(_ events: [TelemetryEvent]) async throws { try await store.append(events) }
    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage { try await store.events(matching: filter, after: cursor, limit: limit) }
    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { try await store.countEvents(matching: filter) }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await store.deleteEvents(matching: filter)
    }
    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? { try await store.record(withID: id) }
    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        try await store.records(matching: query)
    }
    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int { try await store.deleteRecords(withIDs: ids) }
    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try await store.save(subscription)
    }
    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try await store.subscription(withID: id)
    }
    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws { try await store.deleteSubscription(withID: id) }
    func notifications() -> AsyncStream<TelemetryNotification> { store.notifications() }
    func validateSchema() async -> Bool { true }
    func debugInfo() async -> DebugInfo { await store.debugInfo() }
}
