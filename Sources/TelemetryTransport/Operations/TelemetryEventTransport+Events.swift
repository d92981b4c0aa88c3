public import TelemetryModels

extension TelemetryEventTransport {
    /// Stores events. Equivalent to `append(_:)`.
    public func save(events: [TelemetryEvent]) async throws { try await append(events) }

    /// Every stored event, oldest first. Reads page by page, and keeps all events in memory.
    public func fetchAllEvents() async throws -> [TelemetryEvent] {
        var all: [TelemetryEvent] = []
        var cursor: TelemetryCursor?
        while true {
            let page = try await events(matching: .all, after: cursor, limit: 1_000)
            all += page.events
            cursor = page.cursor
            guard page.hasMore else { return all }
        }
    }

    /// Returns one page of all events, oldest first.
    public func fetchEvents(limit: Int, cursor: TelemetryCursor? = nil) async throws -> TelemetryEventPage {
        try await events(matching: .all, after: cursor, limit: limit)
    }

    /// The newest events that match. A transport that is read only forwards reads all matching events for it.
    ///
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - limit: The maximum number of events to return; at least 1.
    /// - Throws: The transport's errors.
    public func newestEvents(
        matching filter: TelemetryEventFilter = .all, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        try await events(matching: filter, before: nil, limit: limit)
    }

    /// The numbers of the stored events that match, by client, session, scenario, level and hour, in no particular order.
    public func eventCounts(matching filter: TelemetryEventFilter = .all) async throws -> [TelemetryEventCount] {
        try await eventCounts(matching: filter) { _ in }
    }

    /// The number of stored events.
    public func countEvents() async throws -> Int { try await countEvents(matching: .all) }

    /// Removes every event of every client. For viewers' tools; a client must not call it.
    @discardableResult
    public func deleteAllEvents() async throws -> Int { try await deleteEvents(matching: .all) }

    /// Removes every event of every client. Equivalent to ``deleteAllEvents()``.
    @discardableResult
    public func deleteAllTelemetryEvents() async throws -> Int { try await deleteAllEvents() }

    /// Removes only the client's events.
    @discardableResult
    public func deleteEvents(forClient clientId: String) async throws -> Int {
        try TransportArguments.check(clientId: clientId)
        return try await deleteEvents(matching: .init(clientId: clientId))
    }

    /// Pages of the stored events after the cursor, then of new events as they arrive, until the consumer stops.
    ///
    /// With the first page whose `hasMore` is false, the consumer has caught up. That page may be empty; later pages contain
    /// something new. Each page's cursor is the position after it. At most one page is read ahead while the consumer processes
    /// the previous one. The stream ends after rethrowing a read error, and when the consuming task is cancelled.
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - cursor: The cursor of an earlier page; nil begins with the oldest event.
    ///   - limit: The maximum number of events in a page; at least 1.
    public func eventPages(
        matching filter: TelemetryEventFilter = .all, after cursor: TelemetryCursor? = nil, limit: Int = 500
    ) -> AsyncThrowingStream<TelemetryEventPage, any Error> {
        pages(matching: filter, after: cursor, limit: limit, readsAhead: true)
    }

    /// The stored events after the cursor, then new events as they arrive, until the consumer stops.
    ///
    /// Pages are read on demand. The stream ends after rethrowing a read error, and when the consuming task is cancelled. To be
    /// able to resume, or to find out when all stored events were read, use ``eventPages(matching:after:limit:)``.
    public func eventStream(
        matching filter: TelemetryEventFilter = .all, after cursor: TelemetryCursor? = nil
    ) -> AsyncThrowingStream<TelemetryEvent, any Error> {
        let events = EventPageFlattener(pages(matching: filter, after: cursor, limit: 500, readsAhead: false))
        return AsyncThrowingStream { try await events.next() }
    }

    private func pages(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int, readsAhead: Bool
    ) -> AsyncThrowingStream<TelemetryEventPage, any Error> {
        let reader = EventPageReader(
            transport: self, filter: filter, cursor: cursor, limit: limit, readsAhead: readsAhead)
        return AsyncThrowingStream { try await reader.next() }
    }
}
