import TelemetryModels

/// Appends and deletes events in a store.
final class EventWriter {
    /// The maximum number of events that are stored at once, so that a page does not have to read much more than it returns.
    static let batchSize = 512

    private let store: OpenStore
    private let cleanup: StoreCleanup
    private let retention: StoreRetention
    private var encoder = EventLineEncoder()

    init(_ store: OpenStore, cleanup: StoreCleanup) {
        self.store = store
        self.cleanup = cleanup
        retention = StoreRetention(store: store)
    }

    nonisolated(nonsending) func append(_ events: [TelemetryEvent]) async throws {
        if let first = events.first, events.withUnsafeBufferPointer({ Self.endOfRun(in: $0, from: 0) }) == events.count {
            // One batch of one client, as from the logger: checked while it is encoded, before anything is stored.
            if let clientId = first.clientId { try TransportArguments.check(clientId: clientId) }
            return try await append(.events(events[...]), toClient: first.clientId)
        }
        let maximum = store.configuration.effectiveEventBytes
        try events.withUnsafeBufferPointer { events in
            guard let first = events.baseAddress else { return }
            for event in first..<first + events.count {
                if let clientId = event.pointee.clientId { try TransportArguments.check(clientId: clientId) }
                try EventLimits.check(event, maximumBytes: maximum)
            }
        }
        var start = 0
        while start < events.count {
            let end = events.withUnsafeBufferPointer { Self.endOfRun(in: $0, from: start) }
            try await append(.events(events[start..<end]), toClient: events[start].clientId)
            start = end
        }
    }

    nonisolated(nonsending) func append(_ events: any EncodedEvents) async throws {
        let clientId = events.origin.clientId
        if let clientId { try TransportArguments.check(clientId: clientId) }
        if events.count <= Self.batchSize { return try await append(.encoded(events), toClient: clientId) }
        for start in stride(from: 0, to: events.count, by: Self.batchSize) {
            let part = events.part(start..<min(start + Self.batchSize, events.count))
            try await append(.encoded(part), toClient: clientId)
        }
    }

    nonisolated(nonsending) private func append(_ events: ClientEvents, toClient clientId: String?) async throws {
        let name = store.clients.directoryName(ofClient: clientId)
        try await store.withLockedClient(name) { try $0.append(events, with: &encoder) ? () : nil }
        let client = store.clients[name]
        if client.hasNewSegment {
            client.hasNewSegment = false
            await retention.enforce(after: name)
        }
        cleanup.collectJournal()
    }

    /// The end index of the run of one client's events that begins at `start`, limited to a full batch.
    private static func endOfRun(in events: UnsafeBufferPointer<TelemetryEvent>, from start: Int) -> Int {
        var end = start + 1
        while end < events.count, end - start < batchSize,
            EventContext.isSame(events[end].clientId, events[start].clientId)
        {
            end += 1
        }
        return end
    }

    /// Removes the matching events, one segment at a time, so that writers are not blocked for long.
    nonisolated(nonsending) func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        var count = 0
        var batches = try store.reading {
            try SegmentBatches(
                layout: store.layout, system: store.system, client: filter.clientId.map(StoreLayout.client))
        }
        for name in try store.clientDirectories(of: filter) {
            for segment in try store.reading({ try store.clients[name].segmentNames() }) {
                count += try await store.withLockedClient(name) {
                    try $0.deleteEvents(matching: filter, from: segment, batches: &batches)
                }
                await Task.yield()
            }
        }
        cleanup.removeGoneClients(matching: filter)
        cleanup.collectJournal()
        return count
    }
}
