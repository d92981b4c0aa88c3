public import TelemetryModels
import TelemetrySystem

/// The event plane: an append-only store of events, read in the order in which they were received.
///
/// A conformer must pass the checks of `TelemetryTransportConformance` in the product `TelemetryTestSupport`. Every method may
/// be called from any task, also concurrently. A method that is cancelled may throw `CancellationError`; an append that was
/// cancelled may have been stored in part, and repeating it is safe.
public protocol TelemetryEventTransport: Sendable {
    /// Stores events in the order given. Called by the logger, one batch at a time.
    ///
    /// On return all events are stored. After an error some may be, and trying again is safe: an event is stored once for each
    /// ``TelemetryModels/TelemetryEvent/eventId``.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for events that this store can never store, with
    ///   `.quotaExceeded` if the batch is too large or the store is full, with `.unavailable` or `.rateLimited` if a later try
    ///   may succeed.
    func append(_ events: [TelemetryEvent]) async throws

    /// Reads the events after a cursor, oldest first in the order in which the store received them.
    ///
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - cursor: The cursor of an earlier page; nil begins with the oldest event. A cursor stays valid across processes and
    ///     restarts, and may be used with a different filter.
    ///   - limit: The most events to return; at least 1.
    /// - Returns: The page. A later call with its cursor returns only events received since.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for a limit below 1 or a cursor of another store.
    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage

    /// The number of stored events that match.
    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int

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
    public func eventArrivals() -> AsyncStream<Void> { .ticks(every: .seconds(1), clock: ContinuousClock()) }
}
