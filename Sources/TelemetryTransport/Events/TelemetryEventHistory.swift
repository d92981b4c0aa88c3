/// A transport that reads its events backwards as well, so that the newest ones cost no more in a large store.
public protocol TelemetryEventHistory: TelemetryEventTransport {
    /// Reads the newest events before a cursor.
    ///
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - cursor: The cursor of any page; nil for the end of the stored events.
    ///   - limit: The most events to return; at least 1.
    /// - Returns: The page, whose events are in the order in which the store received them. The events before its `start` are
    ///   read by a later call.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for a limit below 1 or a cursor of another store.
    func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage
}

extension TelemetryEventTransport {
    /// Returns the newest events that match. A transport that is no ``TelemetryEventHistory`` reads all matching events for it.
    ///
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - limit: The most events to return; at least 1.
    /// - Throws: The transport's errors.
    public func newestEvents(
        matching filter: TelemetryEventFilter = .all, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        if let history = self as? any TelemetryEventHistory {
            return try await history.events(matching: filter, before: nil, limit: limit)
        }
        var page = try await events(matching: filter, after: nil, limit: limit)
        // The last pages, with at least as many events as wanted. A page may be short although more follow.
        var pages = [(start: TelemetryCursor?.none, page: page)]
        var count = page.events.count
        while page.hasMore {
            let start = page.cursor
            page = try await events(matching: filter, after: start, limit: limit)
            if page.events.isEmpty { continue }
            pages.append((start, page))
            count += page.events.count
            while count - pages[0].page.events.count >= limit { count -= pages.removeFirst().page.events.count }
        }
        let found = pages.flatMap(\.page.events)
        let surplus = max(0, found.count - limit)
        var start = pages.first?.start
        var rest = surplus
        while rest > 0 {
            let passed = try await events(matching: filter, after: start, limit: rest)
            start = passed.cursor
            rest -= passed.events.count
            guard passed.hasMore else { break }
        }
        return TelemetryEventHistoryPage(
            events: Array(found.suffix(limit)), start: start, end: page.cursor, hasMore: start != nil)
    }
}
