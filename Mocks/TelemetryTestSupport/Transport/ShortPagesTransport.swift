public import TelemetryModels
public import TelemetryTransport

/// A transport whose pages have fewer events than asked for, as a service with limits of its own returns them.
public struct ShortPagesTransport: TelemetryEventTransport {
    private let store: any TelemetryEventTransport
    private let maximum: Int

    /// - Parameters:
    ///   - store: contains the events.
    ///   - maximum: the maximum number of events of a page; at least 1.
    public init(_ store: any TelemetryEventTransport, maximum: Int) {
        self.store = store
        self.maximum = max(1, maximum)
    }

    public func append(_ events: [TelemetryEvent]) async throws { try await store.append(events) }

    public func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try await store.events(matching: filter, after: cursor, limit: min(limit, maximum))
    }

    public func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await store.countEvents(matching: filter)
    }

    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await store.deleteEvents(matching: filter)
    }
}
