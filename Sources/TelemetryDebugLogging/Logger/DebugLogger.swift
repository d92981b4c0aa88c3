#if DEBUG
public import Foundation
public import TelemetryModels

/// Collects the entries of a debug build and sends them in batches: once enough of them wait, or the oldest has waited long
/// enough.
///
/// Entries are sent in the order in which they were logged. Those that could not be sent are kept, up to a bound, and tried
/// again after the interval; what the bound or the server costs is counted and told at the head of the next batch, in an
/// entry named `debug_log.entries_lost`. While nothing waits, no timer runs. Nothing that goes wrong reaches the host.
@MainActor
public final class DebugLogger {
    /// The logger of the process; ``configure(_:shipper:)`` tells it who and where it is.
    public nonisolated static let shared = DebugLogger(
        shipper: DebugLogShipper(
            baseURL: defaultBaseURL, token: ProcessInfo.processInfo.environment["TELEMETRY_DEBUG_TOKEN"]))

    public private(set) var configuration: Configuration
    private(set) var buffer: DebugLogBuffer
    var shipper: any DebugLogShipping
    /// The flush under way.
    var drain: Task<Void, Never>?
    /// The newest entry that the flush under way has to cover.
    var goal: UInt64 = 0
    /// After a failure the count of waiting entries starts no flush: a dead server is not asked at every entry.
    var isHoldingBack = false
    private var timer: Task<Void, Never>?
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let diagnostics: TelemetryDiagnosticsHandler?

    /// Creates a logger; a host uses ``shared``, a test makes its own.
    /// - Parameters:
    ///   - configuration: how it batches and how much it keeps.
    ///   - shipper: where batches go.
    ///   - clock: measures the interval.
    ///   - now: the time that entries carry.
    ///   - diagnostics: hears of batches that failed and of entries lost.
    public nonisolated init(
        configuration: Configuration = Configuration(),
        shipper: any DebugLogShipping,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { .now },
        diagnostics: TelemetryDiagnosticsHandler? = nil
    ) {
        self.configuration = configuration
        self.buffer = DebugLogBuffer(capacity: configuration.capacity)
        self.shipper = shipper
        self.clock = clock
        self.now = now
        self.diagnostics = diagnostics
    }

    deinit { timer?.cancel() }

    /// Changes who logs and where to, for the entries from now on; what waits goes to the new place.
    public func configure(_ configuration: Configuration, shipper: (any DebugLogShipping)? = nil) {
        self.configuration = configuration
        if let shipper { self.shipper = shipper }
        edit { $0.capacity = configuration.capacity }
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
        event: String, level: DebugLogEntry.Level = .info, payload: [String: JSONValue] = [:], correlationId: UUID? = nil,
        timestamp: Date? = nil
    ) {
        edit { $0.append(entry(event, level, payload, correlationId ?? DebugCorrelation.current, timestamp)) }
        if buffer.count >= max(1, configuration.batchSize), !isHoldingBack {
            _ = startFlush()
        } else if drain == nil {
            startTimer(after: configuration.interval)
        }
    }

    /// Sends every entry logged before the call, and returns once each is stored, or the first batch failed and all that is
    /// left is kept.
    ///
    /// A flush under way is joined. It takes no longer than the shipper does; cancelling the calling task does not end it.
    public func flush() async {
        await startFlush()?.value
    }

    func edit<Result>(_ change: (inout DebugLogBuffer) -> Result) -> Result { change(&buffer) }

    func entry(
        _ event: String, _ level: DebugLogEntry.Level, _ payload: [String: JSONValue], _ correlationId: UUID? = nil,
        _ timestamp: Date? = nil
    ) -> DebugLogEntry {
        DebugLogEntry(
            correlationId: correlationId ?? UUID(), timestamp: timestamp ?? now(), source: configuration.source, level: level,
            event: event, payload: payload, deviceId: configuration.deviceId, sessionId: configuration.sessionId)
    }

    /// Starts the timer unless it runs.
    func startTimer(after delay: Duration) {
        guard timer == nil, !buffer.isEmpty else { return }
        timer = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            self?.timerFired()
        }
    }

    func stopTimer() {
        timer?.cancel()
        timer = nil
    }

    private func timerFired() {
        // A timer that was stopped after it had woken up finds another, or none, in its place.
        guard !Task.isCancelled else { return }
        timer = nil
        _ = startFlush()
    }

    func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }
}
#endif
