#if DEBUG
import Dispatch
public import Foundation

/// Sends the waiting entries when the process receives a termination signal, and then ends it. For command-line tools and
/// servers.
///
/// A host that handles SIGTERM itself calls ``DebugLogger/flush()`` there instead.
@MainActor
public final class DebugLogTermination {
    /// Ends once the signal handler is installed. An earlier signal has its default effect.
    package nonisolated let installation: AsyncStream<Never>
    private let source: any DispatchSourceSignal
    private var flush: Task<Void, Never>?

    /// Handles a signal until this object is released or the signal is received.
    /// - Parameters:
    ///   - signal: the signal's number.
    ///   - logger: the logger to flush.
    ///   - limit: the maximum duration of the flush, so that a server that does not respond does not keep the process from
    ///     ending.
    ///   - end: ends the process; by default with the same signal, so that the parent process receives the expected status.
    public init(
        on signal: Int32 = SIGTERM, flushing logger: DebugLogger = .shared, within limit: Duration = .seconds(5),
        then end: @escaping @Sendable (Int32) -> Void = { DebugLogTermination.die(of: $0) }
    ) {
        let (installation, installed) = AsyncStream.makeStream(of: Never.self)
        self.installation = installation
        source = DispatchSource.makeSignalSource(signal: signal, queue: .main)
        source.setRegistrationHandler {
            #if canImport(Darwin)
            // On Darwin, a signal source does not replace the signal's default action.
            Foundation.signal(signal, SIG_IGN)
            #endif
            installed.finish()
        }
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.flush == nil else { return }
                self.flush = Task {
                    await logger.flush(within: limit)
                    end(signal)
                }
            }
        }
        source.resume()
    }

    isolated deinit { source.cancel() }

    /// Ends the process as the signal would have.
    public nonisolated static func die(of signal: Int32) {
        Foundation.signal(signal, SIG_DFL)
        // Threads that run tasks block signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(Int32(SIG_UNBLOCK), &signals, nil)
        raise(signal)
    }
}
#endif
