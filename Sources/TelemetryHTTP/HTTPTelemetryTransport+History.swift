import TelemetryModels
public import TelemetryTransport

/// Reads backwards.
///
/// A relay's cursor is the position of an event, and a page in either order excludes that event. The position before an event has
/// no cursor at the relay: it is this event's cursor with a prefix, and is looked up when a page forwards begins there.
extension HTTPTelemetryTransport: TelemetryEventHistory {
    /// Not part of a relay's cursor, which has no spaces.
    private static let before = "before "

    /// Reads the newest events before a cursor.
    ///
    /// A page has at most as many events as the relay returns at once, even if the limit is higher.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError``: `.invalidArgument` for a limit below 1 or a cursor of another
    ///   store.
    public func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        try NameRules.check(limit: limit)
        let (bound, end) = try await bounds(before: cursor, subject(of: filter))
        let page = try await page(filter, after: bound, limit: limit, isDescending: true)
        var events = Array(page.events.reversed())
        if bound == nil {
            // Events that arrived between the requests come after the end.
            let later = try await self.page(filter, after: end, limit: limit).events
            events.removeAll { event in later.contains { $0.eventId == event.eventId && $0.clientId == event.clientId } }
        }
        return TelemetryEventHistoryPage(
            events: events, start: page.hasMore ? TelemetryCursor(rawValue: Self.before + page.cursor.rawValue) : nil, end: end,
            hasMore: page.hasMore)
    }

    /// The relay's cursor at which a page backwards begins, nil for the newest event; and the position after that page.
    private func bounds(
        before cursor: TelemetryCursor?, _ subject: RequestSubject
    ) async throws -> (bound: TelemetryCursor?, end: TelemetryCursor) {
        guard let cursor else {
            return (nil, try await page(.all, after: nil, limit: 1, isDescending: true, subject: subject).cursor)
        }
        if let event = Self.event(after: cursor) { return (event, cursor) }
        // The event at the cursor is part of the page, so the page begins before the next one.
        let next = try await page(.all, after: cursor, limit: 1, subject: subject)
        return (next.events.isEmpty ? nil : next.cursor, cursor)
    }

    /// The cursor of the event that a position is directly before; nil for a relay's cursor.
    private static func event(after position: TelemetryCursor) -> TelemetryCursor? {
        guard position.rawValue.hasPrefix(before) else { return nil }
        return TelemetryCursor(rawValue: String(position.rawValue.dropFirst(before.count)))
    }

    /// The relay's cursor for a position; nil for the beginning of the store.
    func position(_ cursor: TelemetryCursor?, _ subject: RequestSubject) async throws -> TelemetryCursor? {
        guard let cursor, let event = Self.event(after: cursor) else { return cursor }
        let previous = try await page(.all, after: event, limit: 1, isDescending: true, subject: subject)
        return previous.events.isEmpty ? nil : previous.cursor
    }
}
