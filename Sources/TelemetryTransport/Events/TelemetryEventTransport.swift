@_spi(Tooling) public import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The event plane: an append-only store of events, read in the order in which they were received.
///
/// Four requirements have no default: storing, reading, counting and removing events. The others are what a store may do better than
/// their defaults. A conformer must pass the checks of `TelemetryTransportConformance` in the product
/// `TelemetryTestSupport`. Every method may be called concurrently from any task. A method that is cancelled may throw
/// `CancellationError`; an append that was cancelled may have been stored in part, and repeating it is safe.
public protocol TelemetryEventTransport: Sendable {
    /// Stores events in the order given.
    ///
    /// On return all events are stored. After an error some may be, and trying again is safe: an event is stored once for each
    /// ``TelemetryModels/TelemetryEvent/eventId``.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for events that this store can never store, with
    ///   `.quotaExceeded` if the batch is too large or the store is full, with `.unavailable` or `.rateLimited` if a later try
    ///   may succeed.
    func append(_ events: [TelemetryEvent]) async throws

    /// Stores the events of a batch in its order, with the guarantees and errors of `append(_:)` for an array. Called by the logger,
    /// one batch at a time.
    ///
    /// The default converts the events to an array. A transport that stores batches without converting them, or passes them on to
    /// another transport, implements it.
    func append(_ batch: TelemetryEventBatch) async throws

    /// Reads the events after a cursor, oldest first in the order in which the store received them.
    ///
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - cursor: The cursor of an earlier page; nil begins with the oldest event. A cursor stays valid across processes and
    ///     restarts, and may be used with a different filter.
    ///   - limit: The maximum number of events to return; at least 1.
    /// - Returns: The page. A later call with its cursor returns only events received since.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for a limit below 1 or a cursor of another store.
    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage

    /// Reads the newest events before a cursor.
    ///
    /// The default reads the store from its beginning for each page, and requires that pages of any size have the same order.
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - cursor: The cursor of any page; nil for the end of the stored events.
    ///   - limit: The maximum number of events to return; at least 1.
    /// - Returns: The page, whose events are in the order in which the store received them. The events before its `start` are
    ///   read by a later call.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for a limit below 1 or a cursor of another store.
    func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage

    /// Waits at the store until there is something to return after the cursor, and retries while the store is unreachable.
    ///
    /// Nil, the default, if the store cannot wait: ``eventArrivals()`` says then when to read again.
    func nextEvents(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor, limit: Int
    ) async throws -> TelemetryEventPage?

    /// The number of stored events that match.
    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int

    /// The number of stored events that match, by summaries of the events: a store that has some may not notice damage to events.
    /// The default calls ``countEvents(matching:)``.
    func summarizedCount(matching filter: TelemetryEventFilter) async throws -> Int

    /// The numbers of the stored events that match, by client, session, scenario, level and hour, in no particular order.
    ///
    /// The default reads the events. A store with summaries of its events may count without noticing damage to them.
    /// - Parameters:
    ///   - filter: Which events to count.
    ///   - progress: Called with the number of events that were read so far, if they have to be read.
    /// - Throws: The transport's errors.
    func eventCounts(
        matching filter: TelemetryEventFilter, progress: @Sendable (Int) -> Void
    ) async throws -> [TelemetryEventCount]

    /// Evaluates a query on the stored events that match a filter, in the order in which the store received them.
    ///
    /// The default reads the events. A store that can skip events that do not match, or evaluate where the events are, does so with the
    /// same result as ``TelemetryModels/TelemetryQuery/result(over:now:)``.
    /// - Parameters:
    ///   - query: The query.
    ///   - filter: Which events to evaluate it on. Its own query, if any, counts back from the present.
    ///   - now: What `time:15m` in the query counts back from.
    /// - Throws: ``TelemetryTransportError`` with `.quotaExceeded` if the query exceeds a limit of the language, with `.invalidArgument`
    ///   for a filter whose query has pipes.
    func result(
        of query: TelemetryQuery, matching filter: TelemetryEventFilter, now: Date
    ) async throws -> TelemetryQueryResult

    /// Removes every stored event that matches and returns their number. Cursors stay valid.
    @discardableResult
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int

    /// Hints that events may have arrived. ``eventStream(matching:after:)`` continues reading after each element.
    ///
    /// Hints may be merged or spurious, but after every append at least one must follow, unless one is already in the stream's
    /// buffer. The stream ends when its consumer does. A conformer that can notify immediately should; the default yields a hint
    /// every second.
    func eventArrivals() -> AsyncStream<Void>
}

extension TelemetryEventTransport {
    public func append(_ batch: TelemetryEventBatch) async throws {
        let events = batch.events
        guard events.count == batch.count else {
            throw TelemetryTransportError(code: .corrupted, message: "Events that waited for delivery can no longer be read.")
        }
        try await append(events)
    }

    public func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        try await ForwardSearch(transport: self, filter: filter, limit: limit).newestEvents(before: cursor)
    }

    public func nextEvents(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor, limit: Int
    ) async throws -> TelemetryEventPage? { nil }

    public func summarizedCount(matching filter: TelemetryEventFilter) async throws -> Int {
        try await countEvents(matching: filter)
    }

    public func eventCounts(
        matching filter: TelemetryEventFilter, progress: @Sendable (Int) -> Void
    ) async throws -> [TelemetryEventCount] {
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

    public func result(
        of query: TelemetryQuery, matching filter: TelemetryEventFilter, now: Date
    ) async throws -> TelemetryQueryResult {
        try await evaluatedResult(of: query, matching: filter, now: now)
    }

    /// The result of a query by reading the events.
    package func evaluatedResult(
        of query: TelemetryQuery, matching filter: TelemetryEventFilter, now: Date
    ) async throws -> TelemetryQueryResult {
        var evaluation = QueryEvaluation<TelemetryEvent>(query, in: QueryContext(now: now))
        var cursor: TelemetryCursor?
        while true {
            let page = try await events(matching: filter, after: cursor, limit: 2_000)
            try TelemetryTransportError.evaluating { for event in page.events { try evaluation.add(event) } }
            guard page.hasMore else { break }
            cursor = page.cursor
        }
        return try TelemetryTransportError.evaluating { TelemetryQueryResult(try evaluation.result()) }
    }

    public func eventArrivals() -> AsyncStream<Void> { .ticks(every: .seconds(1), clock: ContinuousClock()) }
}
