import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Reads the events of a view: the newest stored ones that match its filter, then new ones, whether or not they match.
struct WatchedEventFeed: Sendable {
    /// Receives the newest events, the position after them, and whether there are more. Returns whether their number is wanted.
    typealias Start = @Sendable (_ events: [TelemetryEvent], _ end: TelemetryCursor, _ hasMore: Bool) async -> Bool

    let transport: any TelemetryEventTransport
    let location: StoreLocation
    let filter: WatchFilter
    let history: EventHistory
    /// The position after the events that the view took with another filter; nil at the start.
    let position: TelemetryCursor?

    /// Reads until the task is cancelled.
    /// - Parameters:
    ///   - start: Receives the newest events.
    ///   - count: Receives the number of stored events that match.
    ///   - page: Receives a page. Returns the number of its events that match, or nil to end.
    ///   - problem: Receives a message for the user.
    /// - Throws: The transport's errors. That the newest events cannot be read is a problem instead, after another filter was read or
    ///   if the filter is narrower than that of the command line: reading is tried again, unless the store refuses it.
    func follow(
        start: Start, count: @escaping @Sendable (Int) async -> Void,
        page: @Sendable (TelemetryEventPage) async -> Int?, problem: @escaping @Sendable (String) async -> Void
    ) async throws {
        let (end, isCountWanted) = try await readNewest(start, problem)
        try await withThrowingTaskGroup(of: Void.self) { group in
            if isCountWanted {
                group.addTask {
                    do { await count(try await transport.summarizedCount(matching: filter.events)) } catch {
                        await problem(await location.failure(describing: error).message)
                    }
                }
            }
            // Reads no faster than the view takes the pages, so that no pages accumulate in memory.
            try await EventReader(transport: transport, filter: filter.base).read(after: end, following: true) { next in
                guard let count = await page(next) else { return false }
                await history.record(count, before: next.cursor)
                return true
            }
            group.cancelAll()
        }
    }

    /// Reads the newest events. A view whose filter the store refuses begins without them.
    private func readNewest(
        _ start: Start, _ problem: (String) async -> Void
    ) async throws -> (end: TelemetryCursor, isCountWanted: Bool) {
        var position = position
        var failures = 0
        while true {
            do {
                let newest = try await history.newestEvents()
                return (newest.end, await start(newest.events, newest.end, newest.hasMore))
            } catch {
                try Task.checkCancellation()
                guard position != nil || filter.isNarrow else { throw error }
                let end: TelemetryCursor
                if let position { end = position } else { end = try await newestPosition() }
                position = end
                let text = await location.failure(describing: error).message
                guard let failure = error as? TelemetryTransportError, failure.isRetryable else {
                    await history.begin(before: end)
                    _ = await start([], end, true)
                    await problem(text)
                    return (end, false)
                }
                await problem(text)
                failures += 1
                try await Task.sleep(for: EventReader.delay(after: failure, failures: failures))
            }
        }
    }

    /// The position after the newest event, whether or not it matches the whole filter.
    private func newestPosition() async throws -> TelemetryCursor {
        try await transport.events(matching: filter.base, before: nil, limit: 1).end
    }
}
