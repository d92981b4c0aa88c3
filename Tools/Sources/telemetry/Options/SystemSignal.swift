import Foundation
import Synchronization

/// Process signals.
enum SystemSignal {
    /// Ends the process by the signal, after cleanup.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        // Worker threads of dispatch queues block signals.
        var wanted = sigset_t()
        sigemptyset(&wanted)
        sigaddset(&wanted, number)
        pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
        raise(number)
        exit(128 + number)
    }

    /// Runs an endless operation until one of these signals arrives, which is its regular end.
    static func untilInterrupted(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        try await cancelling(operation: operation)
    }

    /// Runs the operation in a task that SIGINT, SIGTERM and SIGHUP cancel, so that it can clean up before the process ends.
    /// - Parameter interruption: Cancels the operation in the same way when it is called with a signal's number.
    /// - Returns: The signal that arrived, if any; an error that the operation throws after it is ignored.
    /// - Throws: The operation's error.
    @discardableResult
    static func cancelling(
        _ interruption: Interruption = Interruption(), operation: @escaping @Sendable () async throws -> Void
    ) async throws -> Int32? {
        let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP]) { interruption.interrupt($0) }
        // The signals stay ignored, so that a second signal does not end the process during cleanup.
        defer { signals.end() }
        let task = Task { try await operation() }
        interruption.onInterruption { task.cancel() }
        do { try await task.value } catch {
            guard let number = interruption.number else { throw error }
            return number
        }
        return interruption.number
    }

    /// A request to end an operation, with the signal that caused it.
    final class Interruption: Sendable {
        private let state = Mutex<(number: Int32?, stop: (@Sendable () -> Void)?)>((nil, nil))

        /// The first signal that arrived.
        var number: Int32? { state.withLock { $0.number } }

        /// Calls the handler immediately if a signal has already arrived.
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
