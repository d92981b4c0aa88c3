#if DEBUG
import Foundation
import TelemetryModels

/// A logger's queue of entries for one destination, and the schedule by which they are sent.
///
/// A logger has one for each destination, so that a failing destination does not affect the others.
@MainActor
final class DebugLogPipeline {
    private(set) var buffer: DebugLogBuffer
    var shipper: any DebugLogShipping
    var configuration: DebugLogger.Configuration {
        didSet { buffer.bounds = configuration.bounds }
    }
    /// The running flush.
    var drain: Task<Void, Never>?
    /// The newest entry that the running flush has to send.
    var goal: UInt64 = 0
    /// Whether the number of waiting entries does not start a flush: after a failure, an unreachable server is not contacted at
    /// every entry.
    var isHoldingBack = false
    private var timer: Task<Void, Never>?
    var context: Context

    /// The shared properties of a logger's pipelines.
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

    /// Returns a pipeline to another destination, with the same waiting entries. Entries that are being sent are not included.
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
        // A timer that was stopped after it fired has been replaced or removed.
        guard !Task.isCancelled else { return }
        timer = nil
        _ = startFlush()
    }

    func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        context.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }
}
#endif
