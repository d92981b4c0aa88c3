public import TelemetryModels
public import TelemetryTransport

extension MockTelemetryTransport {
    public func append(_ events: [TelemetryEvent]) async throws {
        try await perform(.append(events)) { try await store.append(events) }
    }

    public func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try await perform(.events(filter, after: cursor, limit: limit)) {
            try await store.events(matching: filter, after: cursor, limit: limit)
        }
    }

    public func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await perform(.countEvents(filter)) { try await store.countEvents(matching: filter) }
    }

    @discardableResult
    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await perform(.deleteEvents(filter)) { try await store.deleteEvents(matching: filter) }
    }

    public func eventArrivals() -> AsyncStream<Void> { store.eventArrivals() }
}

extension MockTelemetryTransport {
    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try await perform(.saveRecords(records, policy: policy)) { try await store.save(records, policy: policy) }
    }

    public func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        try await perform(.record(id)) { try await store.record(withID: id) }
    }

    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        try await perform(.records(query)) { try await store.records(matching: query) }
    }

    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        try await perform(.deleteRecords(ids)) { try await store.deleteRecords(withIDs: ids) }
    }
}

extension MockTelemetryTransport {
    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try await perform(.saveSubscription(subscription)) { try await store.save(subscription) }
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try await perform(.subscription(id)) { try await store.subscription(withID: id) }
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await perform(.deleteSubscription(id)) { try await store.deleteSubscription(withID: id) }
    }

    public func notifications() -> AsyncStream<TelemetryNotification> { store.notifications() }
}

extension MockTelemetryTransport {
    /// Returns false if the call is to fail.
    public func validateSchema() async -> Bool {
        (try? await perform(.validateSchema) { await store.validateSchema() }) ?? false
    }

    /// Throws the scripted failure, if any.
    public func debugInfo() async -> DebugInfo {
        do {
            return try await perform(.debugInfo) { await store.debugInfo() }
        } catch {
            return DebugInfo(
                containerID: "mock", buildType: BuildType.current, environment: "mock", testQueryResults: 0,
                firstRecordID: nil, firstRecordFields: [], recordCount: nil, errorMessage: "\(error)")
        }
    }
}
