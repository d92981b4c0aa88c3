import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Reads the events of a view: the newest stored ones that match its filter, then new ones, whether or not they match.
struct WatchedEvents: Sendable {
    /// Takes the newest events, the position after them, and whether there are more. Returns whether their number is wanted.
    typealias Start = @Sendable (_ events: [TelemetryEvent], _ end: TelemetryCursor, _ hasMore: Bool) async -> Bool

    let transport: any TelemetryEventTransport
    let location: StoreLocation
    let filter: WatchFilter
    let history: EventHistory
    /// The position after the events that the view took with another filter; nil at the start.
    let position: TelemetryCursor?

    /// Reads until the task is cancelled.
    /// - Parameters:
    ///   - start: Takes the newest events.
    ///   - count: Takes the number of stored events that match.
    ///   - page: Takes a page. Returns the number of its events that match, or nil to end.
    ///   - problem: Takes a message for the user.
    /// - Throws: The transport's errors. A filter that the store refuses, after another one was read, is a problem instead.
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
            var cursor = end
            // Reads no faster than the view takes the pages, so that no pages accumulate in memory.
            try await EventReader(transport: transport, filter: filter.base).read(after: end, following: true) { next in
                guard let count = await page(next) else { return false }
                await history.record(count, after: cursor)
                cursor = next.cursor
                return true
            }
            group.cancelAll()
        }
    }

    private func readNewest(
        _ start: Start, _ problem: (String) async -> Void
    ) async throws -> (end: TelemetryCursor, isCountWanted: Bool) {
        do {
            let newest = try await history.newestEvents()
            return (newest.end, await start(newest.events, newest.end, newest.hasMore))
        } catch {
            guard let position, !Task.isCancelled else { throw error }
            _ = await start([], position, true)
            await problem(await location.failure(describing: error).message)
            return (position, false)
        }
    }
}
