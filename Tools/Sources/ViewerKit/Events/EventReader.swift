import TelemetryModels
public import TelemetryTransport

/// Reads a store's events page by page, and tells where it stands.
public struct EventReader: Sendable {
    private static let pageSize = 2_000

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
