import TelemetryModels

/// Reads a store page by page and, at its end, waits for a hint that there are more events.
actor EventPageReader {
    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter
    private let limit: Int
    private let readsAhead: Bool
    /// Nil for a transport that waits for events itself.
    private let arrivals: AsyncStream<Void>?
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
        // Requested before the first page is read, so that events that arrive in between cause a hint.
        self.arrivals = transport is any TelemetryEventWaiting ? nil : transport.eventArrivals()
    }

    /// The next page; nil when the task is cancelled or the hints end. Skips pages without anything new, except for the first
    /// page that reaches the end of the stored events.
    func next() async throws -> TelemetryEventPage? {
        while true {
            // `AsyncThrowingStream(unfolding:)` calls again after a throw; the stream ends there.
            if Task.isCancelled || hasFailed { return nil }
            let wasAtEnd = isAtEnd
            if wasAtEnd, let arrivals {
                var hints = arrivals.makeAsyncIterator()
                guard await hints.next() != nil else { return nil }
            }
            let page = try await read(waits: wasAtEnd)
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

    private func read(waits: Bool) async throws -> TelemetryEventPage {
        do {
            guard let ahead else {
                if waits, let transport = transport as? any TelemetryEventWaiting, let cursor {
                    return try await transport.nextEvents(matching: filter, after: cursor, limit: limit)
                }
                return try await transport.events(matching: filter, after: cursor, limit: limit)
            }
            self.ahead = nil
            return try await ahead.value
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
