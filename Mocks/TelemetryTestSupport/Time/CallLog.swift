import Synchronization

/// Records calls in order; a test can wait for a call without polling.
final class CallLog<Call: Sendable>: Sendable {
    private struct Watcher {
        let isSatisfied: @Sendable ([Call]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var calls: [Call] = []
        var nextID: UInt64 = 0
        var watchers: [UInt64: Watcher] = [:]
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock(\.calls) }

    func append(_ call: Call) {
        let satisfied = state.withLock { state in
            state.calls.append(call)
            let calls = state.calls
            let satisfied = state.watchers.filter { $0.value.isSatisfied(calls) }
            for id in satisfied.keys { state.watchers[id] = nil }
            return satisfied
        }
        for watcher in satisfied.values { watcher.continuation.resume() }
    }

    func removeAll() { state.withLock { $0.calls = [] } }

    /// Returns once the calls so far satisfy the condition, or the calling task is cancelled.
    func wait(until isSatisfied: @escaping @Sendable ([Call]) -> Bool) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    // The task may be cancelled already. A later cancellation finds the watcher that is added here.
                    if Task.isCancelled || isSatisfied(state.calls) { return true }
                    state.watchers[id] = Watcher(isSatisfied: isSatisfied, continuation: continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}
