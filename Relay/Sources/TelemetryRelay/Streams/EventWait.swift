import NIOCore

/// A page of events, waited for where there is none.
struct EventWait: Sendable {
    let storage: any RelayEventStorage
    let streams: StreamRegistry
    let clock: any Clock<Duration>

    /// The page that a query asks for; where it is empty and the query waits, the one that is filled first, or an empty one when
    /// the time is over, the caller's token ends or the relay ends.
    func page(of query: EventQuery, _ filter: RelayEventFilter, _ caller: RelayCaller, channel: any Channel) async throws
        -> RelayEventPage
    {
        @Sendable func page(after cursor: RelayEventCursor?) async throws -> RelayEventPage {
            try await storage.events(matching: filter, after: cursor, limit: query.limit, order: query.order)
        }
        guard query.wait > .zero else { return try await page(after: query.after) }
        return try await streams.withSession(caller.credential, channel: channel) { session in
            // From before the first look: what arrives after it is heard.
            let hints = storage.eventHints(of: filter.clients)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await session.follow(hints) }
                group.addTask {
                    try? await clock.sleep(for: query.wait)
                    session.end()
                }
                defer { group.cancelAll() }
                var found = try await page(after: query.after)
                // Retention's gap is an answer too.
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
