#if DEBUG
public import Foundation
public import TelemetryModels

/// Collects the entries of a debug build and sends them in batches, when enough of them wait or the oldest has waited long
/// enough.
///
/// Entries are sent in the order in which they were logged. Those that could not be sent are kept in memory, up to a bound,
/// and sent again after the interval; dropped and refused entries are counted and reported by the first entry of the next
/// batch, `debug_log.entries_lost`. No timer runs while nothing waits. No error reaches the host.
/// With a ``DebugLogFanOut``, each destination has its own queue.
@MainActor
public final class DebugLogger {
    /// The logger of the process; ``configure(_:shipper:diagnostics:)`` sets its source and destination.
    public nonisolated static let shared = DebugLogger(
        shipper: DebugLogShipper(
            baseURL: defaultBaseURL, token: ProcessInfo.processInfo.environment["TELEMETRY_DEBUG_TOKEN"]))

    /// The current configuration; changed by ``configure(_:shipper:diagnostics:)``.
    public private(set) var configuration: Configuration
    /// One for each destination.
    private(set) var lanes: [DebugLogPipeline]
    private var context: DebugLogPipeline.Context

    /// Creates a logger. Hosts use ``shared``; tests create their own.
    /// - Parameters:
    ///   - configuration: how it batches and how much it keeps.
    ///   - shipper: where batches go.
    ///   - clock: measures the interval.
    ///   - now: returns the time of new entries.
    ///   - diagnostics: receives failed batches and lost entries.
    public nonisolated init(
        configuration: Configuration = Configuration(),
        shipper: any DebugLogShipping,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { .now },
        diagnostics: TelemetryDiagnosticsHandler? = nil
    ) {
        let context = DebugLogPipeline.Context(clock: clock, now: now, diagnostics: diagnostics)
        self.configuration = configuration
        self.context = context
        lanes = DebugLogFanOut([shipper]).places.map {
            DebugLogPipeline(configuration: configuration, shipper: $0, context: context)
        }
    }

    /// Changes the source and the destination of later entries; waiting entries are sent to the new destination.
    ///
    /// With several destinations, the first new one takes over the entries waiting for the first old one, and so on. Additional
    /// destinations start with the entries waiting for the first; the entries of a destination without a successor are lost.
    /// - Parameters:
    ///   - configuration: how it batches and how much it keeps.
    ///   - shipper: sends the batches; nil keeps the current destination.
    ///   - diagnostics: receives failed batches and lost entries; nil keeps the current handler.
    public func configure(
        _ configuration: Configuration, shipper: (any DebugLogShipping)? = nil, diagnostics: TelemetryDiagnosticsHandler? = nil
    ) {
        self.configuration = configuration
        if let diagnostics { context.diagnostics = diagnostics }
        for lane in lanes {
            lane.configuration = configuration
            lane.context = context
        }
        guard let shipper else { return }
        let old = lanes
        lanes = DebugLogFanOut([shipper]).places.enumerated().map { index, place in
            guard index < old.count else {
                return old.first?.copy(to: place)
                    ?? DebugLogPipeline(configuration: configuration, shipper: place, context: context)
            }
            old[index].shipper = place
            return old[index]
        }
    }

    /// Logs an entry.
    /// - Parameters:
    ///   - event: the event's name.
    ///   - level: the entry's severity.
    ///   - payload: named values.
    ///   - correlationId: the operation that the entry belongs to; nil for the task's (``DebugCorrelation/current``), or a new
    ///     one if there is none.
    ///   - timestamp: when the event happened; nil for now.
    public func log(
        event: String, level: DebugLogEntry.Level = .info, payload: [String: DebugLogEntry.Value] = [:],
        correlationId: UUID? = nil, timestamp: Date? = nil
    ) {
        let entry = configuration.entry(
            event, level, payload, correlationId: correlationId ?? DebugCorrelation.current, at: timestamp ?? context.now())
        for lane in lanes { lane.append(entry) }
    }

    /// Sends every entry logged before the call. Returns once all are stored, or once a batch failed and the remaining entries
    /// are kept; with several destinations, once this is the case for each.
    ///
    /// A running flush is joined. The duration is limited by the shipper's time limit per batch. Cancelling the calling task does
    /// not end the flush.
    public func flush() async {
        for flush in lanes.map({ $0.startFlush() }) { await flush?.value }
    }

    /// Sends every entry logged before the call. Returns when ``flush()`` would, or when the limit is reached; then sending
    /// continues in the background.
    public func flush(within limit: Duration) async {
        let (end, ended) = AsyncStream.makeStream(of: Never.self)
        Task {
            await self.flush()
            ended.finish()
        }
        let deadline = Task { [clock = context.clock] in
            try? await clock.sleep(for: limit)
            ended.finish()
        }
        for await _ in end {}
        deadline.cancel()
    }
}
#endif
