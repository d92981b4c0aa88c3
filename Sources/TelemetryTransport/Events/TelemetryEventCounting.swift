import TelemetryModels

/// A transport that counts its events from summaries, without reading them.
public protocol TelemetryEventCounting: TelemetryEventTransport {
    /// The numbers of the stored events that match, in no particular order. Damage that no reader has met may not be noticed.
    func summarizedCounts(matching filter: TelemetryEventFilter) async throws -> [TelemetryEventCount]
}

extension TelemetryEventTransport {
    /// The numbers of the stored events that match, by client, session, scenario, level and hour, in no particular order.
    ///
    /// A transport that is no ``TelemetryEventCounting`` reads all matching events for it.
    /// - Parameters:
    ///   - filter: Which events to count.
    ///   - progress: Called with the number of events that were read so far, if they have to be read.
    /// - Throws: The transport's errors.
    public func eventCounts(
        matching filter: TelemetryEventFilter = .all, progress: (Int) -> Void = { _ in }
    ) async throws -> [TelemetryEventCount] {
        if let counting = self as? any TelemetryEventCounting { return try await counting.summarizedCounts(matching: filter) }
        var table = EventCountTable()
        var cursor: TelemetryCursor?
        var count = 0
        while true {
            let page = try await events(matching: filter, after: cursor, limit: 2_000)
            for event in page.events { table.add(event) }
            count += page.events.count
            progress(count)
            guard page.hasMore else { return table.counts }
            cursor = page.cursor
        }
    }
}
