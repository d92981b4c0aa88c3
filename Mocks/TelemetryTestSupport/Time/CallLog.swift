import Synchronization

/// What was called, in order; a test can wait for a call without polling.
final class CallLog<Call: Sendable>: Sendable {
    private struct Watcher {
        let isSatisfied: @Sendable ([Call]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var calls: [Call] = []
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock(\.calls) }

    func append(_ call: Call) {
        let satisfied = state.withLock { state in
            state.calls.append(call)
            let calls = state.calls
            let satisfied = state.watchers.filter { $0.isSatisfied(calls) }
            if !satisfied.isEmpty { state.watchers.removeAll { $0.isSatisfied(calls) } }
            return satisfied
        }
        for watcher in satisfied { watcher.continuation.resume() }
    }

    func removeAll() { state.withLock { $0.calls = [] } }

    /// Returns once the calls so far satisfy the condition.
    func wait(until isSatisfied: @escaping @Sendable ([Call]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isSatisfied = state.withLock { state in
                if isSatisfied(state.calls) { return true }
                state.watchers.append(Watcher(isSatisfied: isSatisfied, continuation: continuation))
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }
}
