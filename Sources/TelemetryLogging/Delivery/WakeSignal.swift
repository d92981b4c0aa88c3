import Synchronization

/// Wakes one waiter. A signal without a waiter is kept for the next one; several are kept as one.
final class WakeSignal: Sendable {
    private enum State {
        case idle
        case signalled
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    func signal() {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard case .waiting(let waiter) = state else {
                state = .signalled
                return nil
            }
            state = .idle
            return waiter
        }
        waiter?.resume()
    }

    /// Discards a kept signal, because the caller is about to check the condition itself.
    func reset() {
        state.withLock { state in
            if case .signalled = state { state = .idle }
        }
    }

    /// Returns with the next signal, or when the calling task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if case .signalled = state {
                        state = .idle
                        return true
                    }
                    if Task.isCancelled { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
                guard case .waiting(let waiter) = state else { return nil }
                state = .idle
                return waiter
            }
            waiter?.resume()
        }
    }

    /// Returns with the next signal or after a duration; true if the duration has passed.
    func wait(for duration: Duration, on clock: any Clock<Duration>) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.wait()
                return false
            }
            group.addTask {
                do {
                    try await clock.sleep(for: duration)
                    return true
                } catch {
                    return false
                }
            }
            let isTimeout = await group.next() ?? false
            group.cancelAll()
            return isTimeout
        }
    }
}
