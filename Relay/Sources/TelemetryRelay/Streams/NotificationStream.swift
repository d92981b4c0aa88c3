@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

/// `GET /v1/notifications`: sends changes of records that match the caller's subscriptions.
struct NotificationStream: Sendable {
    let storage: any RelayStorage
    let owners: [String]
    /// The position at which an earlier stream ended; nil if the changes since then are unknown.
    let resumed: RelayChangePosition?
    /// The newest change when the stream began.
    let newest: RelayChangePosition
    /// What the caller sees, which may change while the stream is open.
    let visibility: @Sendable () async throws -> Visibility
    private static let page = 500

    func write(_ session: StreamSession, to events: inout ServerSentEvents) async throws {
        var position = resumed ?? newest
        var visible = try await visibility()
        if resumed == nil { try await ready(position, &events) }
        try await events.flush()
        while !session.isEnded {
            var isBehind = true
            while isBehind, !session.isEnded {
                guard let changes = try await storage.records.changes(after: position, limit: Self.page) else {
                    position = try await storage.records.latestChange()
                    try await ready(position, &events)
                    break
                }
                let before = visible
                visible = try await visibility()
                // The reader looks at everything once, and finds what is left.
                if visible.hasLost(since: before) { try await ready(position, &events) }
                try await write(changes, seenBy: visible, to: &events)
                position = changes.last?.position ?? position
                isBehind = changes.count == Self.page
                // Only a write shows that the peer is gone.
                if isBehind {
                    events.comment("more")
                    try await events.flush()
                }
            }
            try await events.flush()
            try await events.waitForHint(session)
        }
    }

    private func ready(_ position: RelayChangePosition, _ events: inout ServerSentEvents) async throws {
        try await events.event("ready", id: position.rawValue, data: "{}")
    }

    private func write(
        _ all: [RelayRecordChange], seenBy visibility: Visibility, to events: inout ServerSentEvents
    ) async throws {
        var changes: [RelayRecordChange] = []
        for change in all {
            let record = { [storage] in try await storage.records.record(named: change.recordName) }
            if try await visibility.sees(change, record: record) { changes.append(change) }
        }
        guard !changes.isEmpty else { return }
        var subscriptions: [TelemetrySubscription] = []
        for owner in owners { subscriptions += try await storage.subscriptions.all(owner: owner) }
        for change in changes {
            let matching = subscriptions.filter(change.matches)
            for (index, subscription) in matching.enumerated() {
                var data = JSONWriter(capacity: 128)
                data.object { data in
                    data.member("subscriptionID", subscription.id)
                    data.member("recordType", change.recordType)
                    data.member("recordName", change.recordName)
                }
                // Only the last event of a change has its position, so that a stream that breaks between them repeats both.
                let id = index == matching.count - 1 ? change.position.rawValue : nil
                try await events.event("record", id: id, data: String(decoding: data.bytes, as: UTF8.self))
            }
        }
    }
}
