import Synchronization

/// Runs work in the background, once at a time. Starts during a run cause one more run after it.
final class CoalescedWork: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isRequested = false
        var isFinished = false
    }

    private let state = Mutex(State())

    func start(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.isRequested = true
            guard state.task == nil, !state.isFinished else { return }
            state.task = Task { [weak self] in
                while self?.isNextRequested() ?? false { await work() }
            }
        }
    }

    /// Refuses later starts, and returns after the work in progress.
    func finish() async {
        let task = state.withLock { state in
            state.isFinished = true
            return state.task
        }
        await task?.value
    }

    private func isNextRequested() -> Bool {
        state.withLock { state in
            defer { state.isRequested = false }
            if !state.isRequested { state.task = nil }
            return state.isRequested
        }
    }
}
