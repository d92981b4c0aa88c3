public import TelemetryModels

extension TelemetryEventTransport {
    /// Stores events: ``append(_:)`` under the documents' name.
    public func save(events: [TelemetryEvent]) async throws { try await append(events) }

    /// Every stored event, oldest first. Reads page by page, and holds them all in memory.
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

    /// One page of all events, oldest first.
    public func fetchEvents(limit: Int, cursor: TelemetryCursor? = nil) async throws -> TelemetryEventPage {
        try await events(matching: .all, after: cursor, limit: limit)
    }

    /// How many events are stored.
    public func countEvents() async throws -> Int { try await countEvents(matching: .all) }

    /// Removes every event of every client: for viewers' tools, never for a client.
    @discardableResult
    public func deleteAllEvents() async throws -> Int { try await deleteEvents(matching: .all) }

    /// The same under the documents' other name.
    @discardableResult
    public func deleteAllTelemetryEvents() async throws -> Int { try await deleteAllEvents() }

    /// Removes only the client's events.
    @discardableResult
    public func deleteEvents(forClient clientId: String) async throws -> Int {
        try NameRules.check(clientId: clientId)
        return try await deleteEvents(matching: .init(clientId: clientId))
    }

    /// Pages of what is stored after the cursor, and then of what arrives, until the consumer stops.
    ///
    /// The first page that says `hasMore == false` is where the consumer has caught up; it may be empty, later ones hold
    /// something new. Each page's cursor goes on behind it. While the consumer works on a page the next one is read, and never
    /// more than that. The stream throws what reading throws and ends there; cancelling the consuming task ends it, too.
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - cursor: Where an earlier page ended; nil begins with the oldest event.
    ///   - limit: The most events in a page; at least 1.
    public func eventPages(
        matching filter: TelemetryEventFilter = .all, after cursor: TelemetryCursor? = nil, limit: Int = 500
    ) -> AsyncThrowingStream<TelemetryEventPage, any Error> {
        pages(matching: filter, after: cursor, limit: limit, readsAhead: true)
    }

    /// What is stored after the cursor, and then what arrives, until the consumer stops.
    ///
    /// Pages are read only as the consumer asks for events. The stream throws what reading throws and ends there; begin again
    /// with the `after:` of an event page to go on. Cancelling the consuming task ends it. ``eventPages(matching:after:limit:)``
    /// says where to go on, and when everything stored was read.
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
