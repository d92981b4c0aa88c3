import TelemetryModels
public import TelemetryTransport

/// Reads a store's events page by page.
public struct EventReader: Sendable {
    private static let pageSize = 2_000

    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter

    public init(transport: any TelemetryEventTransport, filter: TelemetryEventFilter) {
        self.transport = transport
        self.filter = filter
    }

    /// Passes the events after the cursor to the handler, oldest first. If it follows, it then passes new events until the task
    /// is cancelled or the handler returns false.
    /// - Returns: The cursor of the last page that was passed to the handler.
    @discardableResult
    public func read(
        after start: TelemetryCursor?, following: Bool, isolation: isolated (any Actor)? = #isolation,
        handle: (TelemetryEventPage) async throws -> Bool
    ) async throws -> TelemetryCursor? {
        let pages = transport.eventPages(matching: filter, after: start, limit: Self.pageSize)
        var cursor = start
        for try await page in pages {
            cursor = page.cursor
            guard try await handle(page), following || page.hasMore else { return cursor }
        }
        return cursor
    }
}
