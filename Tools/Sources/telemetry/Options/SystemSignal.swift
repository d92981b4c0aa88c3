@preconcurrency import Dispatch
import Foundation

/// Signals between processes.
enum SystemSignal {
    static func send(_ signal: Int32, to process: Int32) -> Bool { kill(process, signal) == 0 }

    /// Runs an operation that has no end of its own until one of those signals comes, which is its regular end.
    static func untilInterrupted(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        do { try await cancelling(operation) } catch is CancellationError {}
    }

    /// Runs the operation in a task that SIGINT, SIGTERM and SIGHUP cancel, so that it can tidy up before the process ends.
    /// - Throws: what the operation throws: `CancellationError` where a signal came.
    static func cancelling(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await operation() }
        let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { @Sendable in task.cancel() }
            source.resume()
            return source
        }
        // The signals stay ignored: a second one must not end the process while it tidies up.
        defer { for source in sources { source.cancel() } }
        try await task.value
    }
}
