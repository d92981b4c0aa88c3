import Foundation
import Synchronization

/// Signals between processes.
enum SystemSignal {
    static func send(_ signal: Int32, to process: Int32) -> Bool { kill(process, signal) == 0 }

    /// Ends the process as the signal would have, once all is tidied up.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        // Threads that work off queues let none through.
        var wanted = sigset_t()
        sigemptyset(&wanted)
        sigaddset(&wanted, number)
        pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
        raise(number)
        exit(128 + number)
    }

    /// Runs an operation that has no end of its own until one of those signals comes, which is its regular end.
    static func untilInterrupted(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        try await cancelling(operation: operation)
    }

    /// Runs the operation in a task that SIGINT, SIGTERM and SIGHUP cancel, so that it can tidy up before the process ends.
    /// - Parameter interruption: Cancels the operation in the same way, called with a signal's number.
    /// - Returns: The signal that came, if one did; then it does not matter what the operation threw.
    /// - Throws: what the operation throws.
    @discardableResult
    static func cancelling(
        _ interruption: Interruption = Interruption(), operation: @escaping @Sendable () async throws -> Void
    ) async throws -> Int32? {
        let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP]) { interruption.interrupt($0) }
        // They stay ignored: a second one must not end the process while it tidies up.
        defer { signals.end() }
        let task = Task { try await operation() }
        interruption.onInterruption { task.cancel() }
        do { try await task.value } catch {
            guard let number = interruption.number else { throw error }
            return number
        }
        return interruption.number
    }

    /// Why an operation is to end, and how it is told.
    final class Interruption: Sendable {
        private let state = Mutex<(number: Int32?, stop: (@Sendable () -> Void)?)>((nil, nil))

        /// The signal that came first.
        var number: Int32? { state.withLock { $0.number } }

        /// At once where a signal came already.
        fileprivate func onInterruption(_ stop: @escaping @Sendable () -> Void) {
            let isLate = state.withLock { state in
                state.stop = stop
                return state.number != nil
            }
            if isLate { stop() }
        }

        func interrupt(_ number: Int32) {
            let stop = state.withLock { state in
                state.number = state.number ?? number
                return state.stop
            }
            stop?()
        }
    }
}
