import Synchronization
import TelemetryTransport

/// Makes calls that may hang, and gives up on them at the running operation's deadline.
///
/// A call that ignores its cancellation cannot be ended. Its caller goes on without it; the call itself stays owned here until
/// it returns, and its late effect is reported then.
final class BoundedCalls: Sendable {
    /// What a call may change, so that it matters when it returns too late.
    enum Effect { case nothing, store, backup }

    /// Gets what the call may have changed, and whether it failed.
    typealias StragglerHandler = @Sendable (_ effect: Effect, _ hasFailed: Bool) async -> Void

    /// A call that has not returned.
    fileprivate struct Call {
        /// Resumes the caller without a result; nil once nobody waits any more.
        var giveUp: (@Sendable () -> Void)?
        var task: Task<Void, Never>?
        let effect: Effect

        var isStraggler: Bool { giveUp == nil && effect != .nothing }
    }

    fileprivate struct State {
        var deadline: Deadline?
        var isOver = false
        /// Shows a timer that its operation has ended meanwhile.
        var generation: UInt64 = 0
        var timers: [Task<Void, Never>] = []
        /// Whether the deadline itself has its timer: an operation that calls nobody needs none.
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

    /// Whether a call that was given up may still change something at the store.
    var hasStragglers: Bool {
        state.withLock { $0.calls.values.contains { $0.isStraggler && $0.effect == .store } }
    }

    /// Called for every straggler that has returned.
    func onStraggler(_ handler: @escaping StragglerHandler) {
        state.withLock { $0.onStraggler = handler }
    }

    /// Calls from now on are given up at the deadline; without one they take the time that they take.
    func begin(_ deadline: Deadline?) {
        let timers = state.withLock { state in
            state.deadline = deadline
            state.isOver = false
            state.generation += 1
            return state.takeTimers()
        }
        for timer in timers { timer.cancel() }
    }

    /// The running operation's calls are given up at this deadline as well, if it comes sooner.
    func hurry(_ deadline: Deadline) {
        let generation = state.withLock { state -> UInt64? in
            guard state.deadline != nil, !state.isOver else { return nil }
            guard !deadline.hasPassed() else { return state.generation }
            state.timers.append(timer(deadline, generation: state.generation))
            return nil
        }
        if let generation { expire(generation) }
    }

    /// Gives up on every call and cancels it.
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
    /// - Throws: What the call throws; `.unavailable` where the deadline came first.
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
            // The call may have returned already; then it is not known any more.
            let isGivenUp = state.withLock { state in
                state.calls[id]?.task = task
                return state.calls[id].map { $0.giveUp == nil } ?? false
            }
            if isGivenUp { task.cancel() }
        }
    }

    /// The call's number, or nil where the deadline has passed.
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

    /// Whether somebody still waits for the result, and who is to be called otherwise.
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

    /// The calls as they were; from now on nobody waits for any of them.
    fileprivate mutating func giveUpAll() -> [BoundedCalls.Call] {
        let waiting = Array(calls.values)
        for id in calls.keys { calls[id]?.giveUp = nil }
        return waiting
    }
}
