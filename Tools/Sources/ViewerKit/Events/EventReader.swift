import TelemetryModels
public import TelemetryTransport

/// Reads a store's events page by page, and tells where it stands.
public struct EventReader: Sendable {
    private static let pageSize = 1_000

    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter

    public init(transport: any TelemetryEventTransport, filter: TelemetryEventFilter) {
        self.transport = transport
        self.filter = filter
    }

    /// Hands over every event that is stored after the cursor, oldest first, and then, where it follows, what arrives, until
    /// its task is cancelled or the handler says that it has enough.
    /// - Returns: Where the last page that was handed over ended.
    @discardableResult
    public func read(
        after start: TelemetryCursor?, following: Bool, handle: (TelemetryEventPage) async throws -> Bool
    ) async throws -> TelemetryCursor? {
        // Asked for before the first page, so that what arrives in between is hinted at.
        var arrivals = (following ? transport.eventArrivals() : nil)?.makeAsyncIterator()
        var cursor = start
        while !Task.isCancelled {
            let page = try await transport.events(matching: filter, after: cursor, limit: Self.pageSize)
            cursor = page.cursor
            guard try await handle(page) else { return cursor }
            if page.hasMore { continue }
            guard await arrivals?.next() != nil else { return cursor }
        }
        return cursor
    }
}
