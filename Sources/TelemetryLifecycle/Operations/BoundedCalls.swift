import Synchronization
import TelemetryTransport

/// Makes calls that may hang, and abandons them at the running operation's deadline.
///
/// A call that ignores its cancellation cannot be ended. Its caller continues without it. This object owns the call until it
/// returns, and then reports its late effect.
final class BoundedCalls: Sendable {
    /// What a call may change, which matters if it returns too late.
    enum Effect { case nothing, store, backup }

    /// Receives what the call may have changed, and whether it failed.
    typealias StragglerHandler = @Sendable (_ effect: Effect, _ hasFailed: Bool) async -> Void

    /// A call that has not returned.
    fileprivate struct Call {
        /// Resumes the caller without a result; nil once the caller no longer waits.
        var giveUp: (@Sendable () -> Void)?
        var task: Task<Void, Never>?
        let effect: Effect

        var isStraggler: Bool { giveUp == nil && effect != .nothing }
    }

    fileprivate struct State {
        var deadline: Deadline?
        var isOver = false
        /// Identifies the operation, so that a timer of an earlier one has no effect.
        var generation: UInt64 = 0
        var timers: [Task<Void, Never>] = []
        /// Whether the deadline's timer was started. An operation without calls needs none.
        var hasTimer = false
        var nextID: UInt64 = 0
        var calls: [UInt64: Call] = [:]
        var onStraggler: StragglerHandler?
    }

    private let state = Mutex(State())
    private let executor: (any TaskExecutor)?

    init(executor: (any TaskExecutor)? = nil) {
        self.executor = executor
    }

    deinit { cancelAll() }

    /// Whether an abandoned call may still change the store.
    var hasStragglers: Bool {
        state.withLock { $0.calls.values.contains { $0.isStraggler && $0.effect == .store } }
    }

    /// Sets the handler that is called when an abandoned call returns.
    func onStraggler(_ handler: @escaping StragglerHandler) {
        state.withLock { $0.onStraggler = handler }
    }

    /// Starts an operation: its calls are abandoned at the deadline. Without a deadline they are not limited.
    func begin(_ deadline: Deadline?) {
        let timers = state.withLock { state in
            state.deadline = deadline
            state.isOver = false
            state.generation += 1
            return state.takeTimers()
        }
        for timer in timers { timer.cancel() }
    }

    /// Moves the running operation's deadline to this one if it is earlier.
    func shortenDeadline(to deadline: Deadline) {
        let generation = state.withLock { state -> UInt64? in
            guard state.deadline != nil, !state.isOver else { return nil }
            guard !deadline.hasPassed() else { return state.generation }
            state.timers.append(timer(deadline, generation: state.generation))
            return nil
        }
        if let generation { expire(generation) }
    }

    /// Abandons and cancels every call.
    func cancelAll() {
        let (timers, calls) = state.withLock { state in (state.takeTimers(), state.giveUpAll()) }
        for timer in timers { timer.cancel() }
        for call in calls {
            call.giveUp?()
            call.task?.cancel()
        }
    }

    /// Makes a call and returns what it returns. Its caller's cancellation does not end it.
    /// - Parameter effect: What the call may change.
    /// - Throws: What the call throws; `.unavailable` if the deadline passed first.
    func call<Value: Sendable>(
        _ effect: Effect = .store, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let giveUp: @Sendable () -> Void = { continuation.resume(throwing: Self.timeout) }
            guard let id = register(Call(giveUp: giveUp, task: nil, effect: effect)) else { return giveUp() }
            let task = Task(executorPreference: executor) {
                let result: Result<Value, any Error>
                let hasFailed: Bool
                do {
                    result = .success(try await body())
                    hasFailed = false
                } catch {
                    result = .failure(error)
                    hasFailed = true
                }
                let ended = self.finish(id)
                if ended.isAwaited { continuation.resume(with: result) }
                await ended.handler?(effect, hasFailed)
            }
            // The call may have returned already; then it is no longer registered.
            let isGivenUp = state.withLock { state in
                state.calls[id]?.task = task
                return state.calls[id].map { $0.giveUp == nil } ?? false
            }
            if isGivenUp { task.cancel() }
        }
    }

    /// The call's number; nil if the deadline has passed.
    private func register(_ call: Call) -> UInt64? {
        state.withLock { state in
            if state.isOver || state.deadline?.hasPassed() == true { return nil }
            if let deadline = state.deadline, !state.hasTimer {
                state.hasTimer = true
                state.timers.append(timer(deadline, generation: state.generation))
            }
            state.nextID += 1
            state.calls[state.nextID] = call
            return state.nextID
        }
    }

    private func timer(_ deadline: Deadline, generation: UInt64) -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self] in
            do { try await deadline.wait() } catch { return }
            self?.expire(generation)
        }
    }

    private func expire(_ generation: UInt64) {
        let calls = state.withLock { state -> [Call] in
            guard state.generation == generation else { return [] }
            state.isOver = true
            return state.giveUpAll()
        }
        for call in calls {
            call.giveUp?()
            call.task?.cancel()
        }
    }

    /// Whether the caller still waits for the result, and the handler to call otherwise.
    private func finish(_ id: UInt64) -> (isAwaited: Bool, handler: StragglerHandler?) {
        state.withLock { state in
            let call = state.calls.removeValue(forKey: id)
            return (call?.giveUp != nil, call?.isStraggler == true ? state.onStraggler : nil)
        }
    }

    private static var timeout: TelemetryTransportError {
        TelemetryTransportError(code: .unavailable, message: "The store did not answer in time.")
    }
}

extension BoundedCalls.State {
    fileprivate mutating func takeTimers() -> [Task<Void, Never>] {
        hasTimer = false
        defer { timers = [] }
        return timers
    }

    /// Returns the calls, oldest first, and marks all of them as abandoned.
    fileprivate mutating func giveUpAll() -> [BoundedCalls.Call] {
        let waiting = calls.sorted { $0.key < $1.key }.map(\.value)
        for id in calls.keys { calls[id]?.giveUp = nil }
        return waiting
    }
}
