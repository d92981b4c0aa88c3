import Synchronization

/// A gate that a test closes and opens; callers wait while it is closed.
public final class TestGate: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var isClosed = false
        var nextID: UInt64 = 0
        var waiting: [UInt64: Waiter] = [:]
        /// The callers that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    /// Creates an open gate.
    public init() {}

    /// Makes callers wait from now on.
    public func close() { state.withLock { $0.isClosed = true } }

    /// Resumes waiting callers, in their order, and lets later ones pass.
    public func open() {
        let waiting = state.withLock { state in
            state.isClosed = false
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }
        }
        for (_, waiter) in waiting { waiter.resume() }
    }

    /// Returns at once if the gate is open, otherwise once it opens.
    /// - Throws: `CancellationError` if the calling task is cancelled; other callers are not affected.
    public func pass() async throws {
        let id: UInt64? = state.withLock { state in
            guard state.isClosed else { return nil }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return try Task.checkCancellation() }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, id: id) }
        } onCancel: {
            cancel(id)
        }
    }

    /// Returns once at least `count` callers wait.
    public func waiters(atLeast count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isSatisfied = state.withLock { state in
                if state.waiting.count >= count { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }

    private func wait(_ waiter: Waiter, id: UInt64) {
        enum Outcome { case waits([Watcher]), passes, cancelled }
        let outcome: Outcome = state.withLock { state in
            if state.cancelled.contains(id) { return .cancelled }
            guard state.isClosed else { return .passes }
            state.waiting[id] = waiter
            let count = state.waiting.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return .waits(state.watchers.filter { $0.count <= count })
        }
        switch outcome {
        case .waits(let satisfied): for watcher in satisfied { watcher.continuation.resume() }
        case .passes: waiter.resume()
        case .cancelled: waiter.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: UInt64) {
        let waiter = state.withLock { state in
            let waiter = state.waiting.removeValue(forKey: id)
            if waiter == nil { state.cancelled.insert(id) }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }
}
