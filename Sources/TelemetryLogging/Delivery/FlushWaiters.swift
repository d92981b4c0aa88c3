import Synchronization

/// The callers of `flush()` that wait.
final class FlushWaiters: Sendable {
    private struct State {
        var nextID: UInt64 = 0
        /// Nil where the caller is about to wait.
        var waiters: [UInt64: CheckedContinuation<Void, Never>?] = [:]
    }

    private let state = Mutex(State())

    /// Those that a delivery which begins now serves.
    var present: [UInt64] { state.withLock { Array($0.waiters.keys) } }

    /// Enters a caller, who must then ``wait(_:)``. It is present from now on: whoever ends all that are ends it too.
    func enter() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            state.waiters.updateValue(nil, forKey: state.nextID)
            return state.nextID
        }
    }

    /// Waits until the caller's turn is over, or the calling task is cancelled.
    func wait(_ id: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.waiters.keys.contains(id) else { return true }
                    state.waiters.updateValue(continuation, forKey: id)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            end([id])
        }
    }

    func end(_ ids: [UInt64]) {
        let waiters = state.withLock { state in ids.compactMap { state.waiters.removeValue(forKey: $0) ?? nil } }
        for waiter in waiters { waiter.resume() }
    }
}
