public import TelemetryModels
public import TelemetryTransport

/// Reads the newest matching events of a store backwards, in pages of growing size.
public struct NewestEvents: Sendable {
    static let maximumPageSize = 2_000

    private let transport: any TelemetryEventTransport
    private let criteria: EventCriteria

    public init(transport: any TelemetryEventTransport, criteria: EventCriteria) {
        self.transport = transport
        self.criteria = criteria
    }

    /// Returns at most `limit` events, oldest first, and the cursor after the newest stored event.
    ///
    /// - Parameter progress: Receives a line for the user before each page but the first.
    /// - Throws: The transport's errors, and ``ToolFailure`` if a regular expression takes too long.
    public func read(
        _ limit: Int, progress: (String) -> Void = { _ in }
    ) async throws -> (events: [TelemetryEvent], end: TelemetryCursor) {
        var criteria = criteria
        var pieces: [[TelemetryEvent]] = []
        var (found, searched) = (0, 0)
        var before: TelemetryCursor?
        var end: TelemetryCursor?
        var size = min(limit, Self.maximumPageSize)
        while true {
            let page = try await transport.events(matching: criteria.filter, before: before, limit: size)
            let own = try page.events.filter { try criteria.matches($0) }
            pieces.append(own.suffix(limit - found))
            found += pieces.last?.count ?? 0
            searched += page.events.count
            before = page.start
            if end == nil { end = page.end }
            if found >= limit || !page.hasMore { return (pieces.reversed().flatMap(\.self), end ?? page.end) }
            if let oldest = page.events.first {
                let date = TimeText().dayAndSecond(oldest.timestamp)
                progress("… \(counted(searched, "event")) searched, back to \(date); \(found.grouped) found")
            }
            // Where the viewer rejects events, larger pages keep the number of reads low.
            size = min(own.count < page.events.count ? 2 * size : limit - found, Self.maximumPageSize)
        }
    }
}
