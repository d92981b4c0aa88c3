import TelemetryModels

/// Reads a store page by page and, at its end, waits for a hint that there is more.
actor TelemetryEventFollower {
    private static let pageSize = 500

    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter
    private let arrivals: AsyncStream<Void>
    private var cursor: TelemetryCursor?
    private var pending: ArraySlice<TelemetryEvent> = []
    private var isAtEnd = false
    private var hasFailed = false

    init(transport: any TelemetryEventTransport, filter: TelemetryEventFilter, cursor: TelemetryCursor?) {
        self.transport = transport
        self.filter = filter
        self.cursor = cursor
        // Asked for before the first page is read, so that what arrives in between is hinted at.
        self.arrivals = transport.eventArrivals()
    }

    /// The next event; nil when the task is cancelled or the hints end.
    func next() async throws -> TelemetryEvent? {
        while pending.isEmpty {
            // `AsyncThrowingStream(unfolding:)` asks on after a throw; the stream is to end there.
            if Task.isCancelled || hasFailed { return nil }
            if isAtEnd {
                var hints = arrivals.makeAsyncIterator()
                guard await hints.next() != nil else { return nil }
            }
            let page: TelemetryEventPage
            do {
                page = try await transport.events(matching: filter, after: cursor, limit: Self.pageSize)
            } catch {
                hasFailed = true
                throw error
            }
            cursor = page.cursor
            pending = page.events[...]
            isAtEnd = !page.hasMore
        }
        return pending.popFirst()
    }
}
