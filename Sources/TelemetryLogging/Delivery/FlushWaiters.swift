import Synchronization

/// The callers of `flush()` that wait.
final class FlushWaiters: Sendable {
    private struct State {
        var nextID: UInt64 = 0
        /// Nil for a caller that does not wait yet.
        var waiters: [UInt64: CheckedContinuation<Void, Never>?] = [:]
    }

    private let state = Mutex(State())

    /// The current callers. A delivery that begins now completes their flush.
    var present: [UInt64] { state.withLock { Array($0.waiters.keys) } }

    /// Adds a caller, which must then call ``wait(_:)``. It is part of ``present`` from now on.
    func enter() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            state.waiters.updateValue(nil, forKey: state.nextID)
            return state.nextID
        }
    }

    /// Waits until the caller is ended by ``end(_:)`` or the calling task is cancelled.
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
