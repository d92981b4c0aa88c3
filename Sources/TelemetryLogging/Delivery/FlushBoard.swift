import Synchronization

/// The callers of `flush()` that wait.
final class FlushBoard: Sendable {
    private struct State {
        var nextID: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock(\.waiters.isEmpty) }

    /// Those that a delivery which begins now serves.
    var present: [UInt64] { state.withLock { Array($0.waiters.keys) } }

    /// Waits until the caller's turn is over, or the calling task is cancelled.
    func wait(announcing announce: @Sendable () -> Void) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isCancelled { continuation.resume() } else { announce() }
            }
        } onCancel: {
            end([id])
        }
    }

    func end(_ ids: [UInt64]) {
        let waiters = state.withLock { state in ids.compactMap { state.waiters.removeValue(forKey: $0) } }
        for waiter in waiters { waiter.resume() }
    }
}
