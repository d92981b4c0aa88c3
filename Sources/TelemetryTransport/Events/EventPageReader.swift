import TelemetryModels

/// Reads a store page by page and, at its end, waits for a hint that there are more events.
actor EventPageReader {
    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter
    private let limit: Int
    private let readsAhead: Bool
    /// Requested when the end of the stored events was reached, of a transport that does not wait for events itself.
    private var arrivals: AsyncStream<Void>?
    private var cursor: TelemetryCursor?
    private var ahead: PageTask?
    private var isAtEnd = false
    private var hasFailed = false

    /// - Parameter readsAhead: Whether the next page is read while the consumer works on the one before; never more than one.
    init(
        transport: any TelemetryEventTransport, filter: TelemetryEventFilter, cursor: TelemetryCursor?, limit: Int,
        readsAhead: Bool
    ) {
        self.transport = transport
        self.filter = filter
        self.cursor = cursor
        self.limit = limit
        self.readsAhead = readsAhead
    }

    /// The next page; nil when the task is cancelled or the hints end. Skips pages without anything new, except for the first
    /// page that reaches the end of the stored events.
    func next() async throws -> TelemetryEventPage? {
        while true {
            // `AsyncThrowingStream(unfolding:)` calls again after a throw; the stream ends there.
            if Task.isCancelled || hasFailed { return nil }
            let wasAtEnd = isAtEnd
            guard let page = try await wasAtEnd ? nextPage() : page() else { return nil }
            let isNew = !page.events.isEmpty || page.cursor != cursor || page.skippedEventCount > 0
            cursor = page.cursor
            isAtEnd = !page.hasMore
            if page.hasMore, readsAhead { ahead = readAhead(after: page.cursor) }
            if isNew || !wasAtEnd { return page }
        }
    }

    private func readAhead(after cursor: TelemetryCursor) -> PageTask {
        PageTask { [transport, filter, limit] in
            try await transport.events(matching: filter, after: cursor, limit: limit)
        }
    }

    /// The page that was read ahead, or the one after the cursor.
    private func page() async throws -> TelemetryEventPage? {
        defer { ahead = nil }
        return try await reading {
            if let ahead { return try await ahead.value }
            return try await transport.events(matching: filter, after: cursor, limit: limit)
        }
    }

    /// Waits for a page with something new, or for a hint to read; nil if there will be none.
    private func nextPage() async throws -> TelemetryEventPage? {
        if arrivals == nil, let cursor {
            let page = try await reading { try await transport.nextEvents(matching: filter, after: cursor, limit: limit) }
            if let page { return page }
        }
        if let arrivals {
            var hints = arrivals.makeAsyncIterator()
            guard await hints.next() != nil else { return nil }
        } else {
            // Events that arrive from now on cause a hint, and the others are read now.
            arrivals = transport.eventArrivals()
        }
        return try await page()
    }

    private func reading<Result>(_ read: () async throws -> Result) async throws -> Result {
        do {
            return try await read()
        } catch {
            hasFailed = true
            throw error
        }
    }
}

/// Reads one page ahead. The read is cancelled with the consumer's task, and when the last reference is released.
private final class PageTask: Sendable {
    private let task: Task<TelemetryEventPage, any Error>

    init(_ read: @escaping @Sendable () async throws -> TelemetryEventPage) { task = Task { try await read() } }

    deinit { task.cancel() }

    var value: TelemetryEventPage {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}
