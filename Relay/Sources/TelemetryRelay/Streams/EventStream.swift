@_spi(Tooling) import TelemetrySystem

/// `GET /v1/events/stream`: sends the events stored after a cursor, and then new events.
struct EventStream: Sendable {
    let storage: any RelayEventStorage
    let start: RelayEventCursor
    let decoding: BodyDecoding
    /// What the reader asks for and sees, which may change while the stream is open.
    let filter: @Sendable () async throws -> RelayEventFilter
    private static let page = 200

    func write(_ session: StreamSession, to events: inout ServerSentEvents) async throws {
        var cursor = start
        var writer = WireEventWriter()
        while !session.isEnded {
            var hasMore = true
            while hasMore, !session.isEnded {
                let page = try await storage.page(
                    matching: try await filter(), after: cursor, limit: Self.page, order: .ascending)
                if page.skipped > 0 {
                    // If events follow, their cursors are the resume positions.
                    let id = page.events.isEmpty ? page.cursor.rawValue : nil
                    try await events.event("skipped", id: id, data: #"{"skipped":\#(page.skipped)}"#)
                }
                let texts = try await decoding.run(page.byteCount) {
                    try page.events.map { event in
                        var text = JSONWriter(capacity: 512)
                        try writer.write(event, to: &text)
                        return text.withBytes { String(decoding: $0, as: UTF8.self) }
                    }
                }
                for (event, text) in zip(page.events, texts) {
                    try await events.event("telemetry", id: event.cursor.rawValue, data: text)
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
