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

    /// Removes the client's events and nobody else's.
    @discardableResult
    public func deleteEvents(forClient clientId: String) async throws -> Int {
        try NameRules.check(clientId: clientId)
        return try await deleteEvents(matching: .init(clientId: clientId))
    }

    /// What is stored after the cursor, and then what arrives, until the consumer stops.
    ///
    /// Pages are read only as the consumer asks for events. The stream throws what reading throws and ends there; begin again
    /// with the `after:` of an event page to go on. Cancelling the consuming task ends it.
    public func eventStream(
        matching filter: TelemetryEventFilter = .all, after cursor: TelemetryCursor? = nil
    ) -> AsyncThrowingStream<TelemetryEvent, any Error> {
        let follower = TelemetryEventFollower(transport: self, filter: filter, cursor: cursor)
        return AsyncThrowingStream { try await follower.next() }
    }
}
