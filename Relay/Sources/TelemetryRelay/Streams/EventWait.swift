/// Reads a page of events, waiting if there are none.
struct EventWait: Sendable {
    let storage: any RelayEventStorage
    let streams: StreamRegistry
    let clock: any Clock<Duration>

    /// Returns the page for a query. If it is empty and the query waits, returns the first page that is not empty, or an empty
    /// one when the wait ends, the caller's token ends or the relay shuts down.
    func page(of query: EventQuery, _ filter: RelayEventFilter, _ caller: RelayCaller) async throws -> RelayEventPage {
        @Sendable func page(after cursor: RelayEventCursor?) async throws -> RelayEventPage {
            try await storage.events(matching: filter, after: cursor, limit: query.limit, order: query.order)
        }
        guard query.wait > .zero else { return try await page(after: query.after) }
        return try await streams.withSession(caller) { session in
            // Subscribes before the first read, so that no arrival after it is missed.
            let hints = storage.eventHints(of: filter.clients)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await session.follow(hints) }
                group.addTask {
                    try? await clock.sleep(for: query.wait)
                    session.end()
                }
                defer { group.cancelAll() }
                var found = try await page(after: query.after)
                // Events skipped because of retention end the wait as well.
                while found.events.isEmpty, found.skipped == 0, !session.isEnded {
                    let signals = await session.next()
                    guard signals.isHinted else { continue }
                    found = try await page(after: found.cursor)
                }
                return found
            }
        }
    }
}
