/// `GET /v1/events/stream`: sends the events stored after a cursor, and then new events.
struct EventStream: Sendable {
    let storage: any RelayEventStorage
    let filter: RelayEventFilter
    let start: RelayEventCursor
    private static let page = 200

    func write(_ session: StreamSession, to events: inout ServerSentEvents) async throws {
        var cursor = start
        while !session.isEnded {
            var hasMore = true
            while hasMore, !session.isEnded {
                let page = try await storage.events(matching: filter, after: cursor, limit: Self.page, order: .ascending)
                if page.skipped > 0 {
                    // If events follow, their cursors are the resume positions.
                    let id = page.events.isEmpty ? page.cursor.rawValue : nil
                    try await events.event("skipped", id: id, data: #"{"skipped":\#(page.skipped)}"#)
                }
                for event in page.events {
                    try await events.event("telemetry", id: event.cursor.rawValue, data: event.json)
                }
                try await events.flush()
                cursor = page.cursor
                hasMore = page.hasMore
            }
            try await events.waitForHint(session)
        }
    }
}

extension ServerSentEvents {
    /// Sends heartbeats until there may be something to read, or the stream ends.
    mutating func waitForHint(_ session: StreamSession) async throws {
        while true {
            let signals = await session.next()
            if signals.isEnded || signals.isHinted { return }
            comment("alive")
            try await flush()
        }
    }
}
