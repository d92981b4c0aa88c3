import TelemetryModels

/// Finds the newest events before a position in a store that is read only forwards.
struct ForwardSearch<Transport: TelemetryEventTransport> {
    let transport: Transport
    let filter: TelemetryEventFilter
    let limit: Int

    /// How often the store is read if it changes meanwhile.
    private static var attempts: Int { 3 }

    /// The last pages before a position, with at least as many events as wanted, if there are as many.
    private struct Tail {
        var pages: [(start: TelemetryCursor?, events: [TelemetryEvent])] = []
        var end: TelemetryCursor
        var hasReachedBoundary = false
    }

    func newestEvents(before cursor: TelemetryCursor?) async throws -> TelemetryEventHistoryPage {
        guard let cursor else {
            let tail = try await tail(before: nil)
            return try await page(of: tail, end: tail.end)
        }
        for _ in 0..<Self.attempts {
            try Task.checkCancellation()
            let boundary = try await firstEvent(after: cursor)
            let tail = try await tail(before: boundary)
            if tail.hasReachedBoundary { return try await page(of: tail, end: cursor) }
            // Events may have arrived after the cursor meanwhile, or the first of them was removed.
            if boundary == nil, try await firstEvent(after: cursor) == nil { return try await page(of: tail, end: cursor) }
        }
        throw TelemetryTransportError(
            code: .unavailable, message: "The store changed during each of \(Self.attempts) attempts to read it backwards.")
    }

    /// The first matching event after a position. A page may be empty although more follow.
    private func firstEvent(after cursor: TelemetryCursor) async throws -> TelemetryEvent? {
        var cursor = cursor
        while true {
            let page = try await transport.events(matching: filter, after: cursor, limit: 100)
            if !page.events.isEmpty || !page.hasMore { return page.events.first }
            cursor = page.cursor
        }
    }

    /// Reads from the oldest event to the boundary, or to the end of the stored events.
    private func tail(before boundary: TelemetryEvent?) async throws -> Tail {
        var page = try await transport.events(matching: filter, after: nil, limit: limit)
        var tail = Tail(end: page.cursor)
        var (start, count) = (TelemetryCursor?.none, 0)
        while true {
            var events = page.events
            if let boundary, let index = events.firstIndex(where: { $0.isSame(as: boundary) }) {
                events.removeSubrange(index...)
                tail.hasReachedBoundary = true
            }
            if !events.isEmpty { tail.pages.append((start, events)) }
            count += events.count
            while let first = tail.pages.first, count - first.events.count >= limit {
                count -= first.events.count
                tail.pages.removeFirst()
            }
            tail.end = page.cursor
            if tail.hasReachedBoundary || !page.hasMore { return tail }
            // Nothing is before the first event.
            if count > 0 { start = page.cursor }
            page = try await transport.events(matching: filter, after: page.cursor, limit: limit)
        }
    }

    private func page(of tail: Tail, end: TelemetryCursor) async throws -> TelemetryEventHistoryPage {
        let found = tail.pages.flatMap(\.events)
        var start = tail.pages.first?.start
        var surplus = max(0, found.count - limit)
        // The position between the surplus and the page has no cursor yet.
        while surplus > 0 {
            let passed = try await transport.events(matching: filter, after: start, limit: surplus)
            start = passed.cursor
            surplus -= passed.events.count
            guard passed.hasMore else { break }
        }
        return TelemetryEventHistoryPage(events: Array(found.suffix(limit)), start: start, end: end, hasMore: start != nil)
    }
}

extension TelemetryEvent {
    fileprivate func isSame(as other: TelemetryEvent) -> Bool { eventId == other.eventId && clientId == other.clientId }
}
