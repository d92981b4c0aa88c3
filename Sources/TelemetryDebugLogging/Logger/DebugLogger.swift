#if DEBUG
public import Foundation
public import TelemetryModels

/// Collects the entries of a debug build and sends them in batches: once enough of them wait, or the oldest has waited long
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

    /// The configuration in use; changed by `configure(_:shipper:)`.
    public private(set) var configuration: Configuration
    /// One for each destination.
    private(set) var lanes: [DebugLogPipeline]
    private var context: DebugLogPipeline.Context

    /// Creates a logger; a host uses ``shared``, a test makes its own.
    /// - Parameters:
    ///   - configuration: how it batches and how much it keeps.
    ///   - shipper: where batches go.
    ///   - clock: measures the interval.
    ///   - now: the time that entries carry.
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
    /// Where there are several places, the first new one takes over what waits for the first old one, and so on. A place beyond
    /// those begins with what waits for the first; a place that has no successor loses what waits for it.
    /// - Parameters:
    ///   - configuration: how it batches and how much it keeps.
    ///   - shipper: where batches go; where they went, if it is nil.
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
    ///   - event: the name of what happened.
    ///   - level: how much it matters.
    ///   - payload: named values.
    ///   - correlationId: the operation that it belongs to; where it is nil the task's (``DebugCorrelation/current``), and
    ///     where there is none, one of its own.
    ///   - timestamp: when it happened; now where it is nil.
    public func log(
        event: String, level: DebugLogEntry.Level = .info, payload: [String: DebugLogEntry.Value] = [:],
        correlationId: UUID? = nil, timestamp: Date? = nil
    ) {
        let entry = configuration.entry(
            event, level, payload, correlationId: correlationId ?? DebugCorrelation.current, at: timestamp ?? context.now())
        for lane in lanes { lane.append(entry) }
    }

    /// Sends every entry logged before the call, and returns once each is stored, or a batch failed and all that is left is
    /// kept; with several places, once that is so of each.
    ///
    /// A flush under way is joined. It takes no longer than the shipper does for as many batches as there are; cancelling the
    /// calling task does not end it.
    public func flush() async {
        for flush in lanes.map({ $0.startFlush() }) { await flush?.value }
    }

    /// Sends every entry logged before the call, and returns once ``flush()`` would, or the time is over; then the sending goes
    /// on as long as the process does.
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
