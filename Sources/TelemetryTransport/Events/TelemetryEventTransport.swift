public import TelemetryModels
import TelemetryStorage

/// The event plane: an append-only store of events, read in the order in which they were received.
///
/// A conformer promises what `TelemetryTransportConformance` in the product `TelemetryTestSupport` checks. Every method may
/// be called from any task, also concurrently. A method that is cancelled may throw `CancellationError`; an append that was
/// cancelled may have been stored in part, and repeating it is safe.
public protocol TelemetryEventTransport: Sendable {
    /// Stores events in the order given. Called by the logger, one batch at a time.
    ///
    /// On return all are stored. After a throw some may be, and trying again is safe: the same
    /// ``TelemetryModels/TelemetryEvent/eventId`` twice is one event.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for events that this store can never take, with
    ///   `.quotaExceeded` for a batch that is too large or a store that is full, with `.unavailable` or `.rateLimited` where
    ///   a later try may succeed.
    func append(_ events: [TelemetryEvent]) async throws

    /// Reads the events after a cursor, oldest first in the order in which the store received them.
    ///
    /// - Parameters:
    ///   - filter: Which events to return.
    ///   - cursor: Where an earlier page ended; nil begins with the oldest event. A cursor stays good across processes and
    ///     restarts, and may be used with another filter than the one that it came from.
    ///   - limit: The most events to return; at least 1.
    /// - Returns: The page. A later call with its cursor returns only events received since.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for a limit below 1 or a cursor that is not this store's.
    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage

    /// How many stored events match.
    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int

    /// Removes every stored event that matches and returns how many they were. Cursors stay good.
    @discardableResult
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int

    /// A hint that events may have arrived: ``eventStream(matching:after:)`` reads on after each element.
    ///
    /// Hints may be merged, may be spurious, and must not be lost for good: after the last append at least one follows, unless
    /// it stands in the stream's buffer already. The stream ends when its consumer does. A conformer that can tell at once
    /// should; the default hints once a second.
    func eventArrivals() -> AsyncStream<Void>
}

extension TelemetryEventTransport {
    public func eventArrivals() -> AsyncStream<Void> { .ticks(every: .seconds(1), clock: ContinuousClock()) }
}
