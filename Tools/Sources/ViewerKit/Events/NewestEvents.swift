public import TelemetryModels
public import TelemetryTransport

/// Reads the newest matching events of a store backwards.
public struct NewestEvents: Sendable {
    private static let pageSize = 2_000

    private let transport: any TelemetryEventHistory
    private let criteria: EventCriteria

    /// Nil for a store that is read only forwards.
    public init?(transport: any TelemetryEventTransport, criteria: EventCriteria) {
        guard let history = transport as? any TelemetryEventHistory else { return nil }
        self.transport = history
        self.criteria = criteria
    }

    /// Returns at most `limit` events, oldest first, and the cursor after the newest stored event.
    /// - Throws: The transport's errors, and ``ToolFailure`` if a regular expression takes too long.
    public func read(_ limit: Int) async throws -> (events: [TelemetryEvent], end: TelemetryCursor) {
        var criteria = criteria
        var pieces: [[TelemetryEvent]] = []
        var count = 0
        var before: TelemetryCursor?
        var end: TelemetryCursor?
        while true {
            let page = try await transport.events(
                matching: criteria.filter, before: before, limit: min(limit, Self.pageSize))
            let own = try page.events.filter { try criteria.matches($0) }
            pieces.append(own.suffix(limit - count))
            count += pieces.last?.count ?? 0
            before = page.start
            if end == nil { end = page.end }
            if count >= limit || !page.hasMore { return (pieces.reversed().flatMap(\.self), end ?? page.end) }
        }
    }
}
