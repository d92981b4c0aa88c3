import TelemetryModels
import TelemetryTransport

/// One client's view of a store, as a relay gives it: its own records, and the rules.
struct RuleFollowingTransport: TelemetryTransporting {
    let own: InMemoryTelemetryTransport
    let rules: RuleStore

    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try await own.save(records, policy: policy)
    }
    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? { try await own.record(withID: id) }
    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        let isOfRules = query.recordType == TelemetrySchema.ruleRecordType
        return try await isOfRules ? rules.store.records(matching: query) : own.records(matching: query)
    }
    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int { try await own.deleteRecords(withIDs: ids) }

    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        let isOfRules = subscription.recordType == TelemetrySchema.ruleRecordType
        return try await isOfRules ? rules.store.save(subscription) : own.save(subscription)
    }
    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try await own.subscription(withID: id)
    }
    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws { try await own.deleteSubscription(withID: id) }
    func notifications() -> AsyncStream<TelemetryNotification> { rules.store.notifications() }

    func append(_ events: [TelemetryEvent]) async throws { try await own.append(events) }
    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try await own.events(matching: filter, after: cursor, limit: limit)
    }
    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { try await own.countEvents(matching: filter) }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { try await own.deleteEvents(matching: filter) }
    func validateSchema() async -> Bool { true }
    func debugInfo() async -> DebugInfo { await own.debugInfo() }
}
