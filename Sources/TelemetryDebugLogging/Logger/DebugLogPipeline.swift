#if DEBUG
import Foundation
import TelemetryModels

/// The way of a logger's entries to one place: what waits for it, and when it is sent there.
///
/// A logger has one for each place that it sends to, so that a place that fails holds up no other and costs it nothing.
@MainActor
final class DebugLogPipeline {
    private(set) var buffer: DebugLogBuffer
    var shipper: any DebugLogShipping
    var configuration: DebugLogger.Configuration {
        didSet { buffer.bounds = configuration.bounds }
    }
    /// The flush under way.
    var drain: Task<Void, Never>?
    /// The newest entry that the flush under way has to cover.
    var goal: UInt64 = 0
    /// After a failure the count of waiting entries starts no flush: a dead server is not asked at every entry.
    var isHoldingBack = false
    private var timer: Task<Void, Never>?
    var context: Context

    /// What the lanes of a logger share.
    struct Context: Sendable {
        let clock: any Clock<Duration>
        let now: @Sendable () -> Date
        var diagnostics: TelemetryDiagnosticsHandler?
    }

    nonisolated init(configuration: DebugLogger.Configuration, shipper: any DebugLogShipping, context: Context) {
        self.configuration = configuration
        self.shipper = shipper
        self.context = context
        buffer = DebugLogBuffer(bounds: configuration.bounds)
    }

    /// A lane to another place, for which the same waits as for this one; of what is on its way nothing does.
    func copy(to shipper: any DebugLogShipping) -> DebugLogPipeline {
        let lane = DebugLogPipeline(configuration: configuration, shipper: shipper, context: context)
        lane.buffer = buffer
        lane.startTimer(after: configuration.interval)
        return lane
    }

    deinit { timer?.cancel() }

    func append(_ entry: DebugLogEntry) {
        buffer.append(entry)
        if buffer.holdsBatch, !isHoldingBack {
            _ = startFlush()
        } else if drain == nil {
            startTimer(after: configuration.interval)
        }
    }

    func edit<Result>(_ change: (inout DebugLogBuffer) -> Result) -> Result { change(&buffer) }

    /// Starts the timer unless it runs.
    func startTimer(after delay: Duration) {
        guard timer == nil, !buffer.isEmpty else { return }
        timer = Task { [weak self, clock = context.clock] in
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
        context.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }
}
#endif
