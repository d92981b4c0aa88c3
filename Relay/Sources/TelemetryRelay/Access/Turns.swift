import Synchronization

/// Bounds how much work runs at once, so that one caller's work does not keep others waiting.
final class Turns: Sendable {
    private struct Waiting {
        let id: Int
        let owners: [RelayCaller.Owner]
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var shares: TurnShares
        var lastID = 0
        var waiting: [Waiting] = []
        /// Whether no turn begins.
        var isPaused = false
        /// Resumed when no turn is taken.
        var idle: CheckedContinuation<Void, Never>?

        mutating func take(for owners: [RelayCaller.Owner]) -> Bool { !isPaused && shares.take(for: owners) }

        /// Whether one more request of the owners may wait.
        func hasRoom(for owners: [RelayCaller.Owner]) -> Bool {
            guard case .clientKey? = owners.first else { return true }
            return waiting.count { $0.owners.first == owners.first } < Turns.clientWaits
        }
    }

    /// The maximum number of requests of one client that wait; more are refused at once.
    private static let clientWaits = 32

    private let clock: any Clock<Duration>
    private let timeout: Duration
    private let refusal: any Error
    private let state: Mutex<State>

    /// - Parameters:
    ///   - maximum: the maximum number of turns at once.
    ///   - timeout: how long a caller waits for its turn.
    ///   - refusal: what a caller gets whose turn does not come in time.
    init(
        maximum: Int, timeout: Duration = .seconds(20), clock: any Clock<Duration>,
        refusal: any Error = RelayStorageError.busy
    ) {
        (self.timeout, self.clock, self.refusal) = (timeout, clock, refusal)
        state = Mutex(State(shares: TurnShares(maximum: maximum)))
    }

    /// Runs `body` for ``RequestOwners/current`` when it is their turn.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        let owners = RequestOwners.current
        if !state.withLock({ $0.take(for: owners) }) { try await wait(for: owners) }
        defer { giveBack(from: owners) }
        return try await body()
    }

    /// Runs a query as ``run(_:)``, and cancels it at its time limit.
    /// - Throws: ``RelayStorageError/timedOut``.
    func run<Value: Sendable>(
        within time: Duration, _ query: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await run {
            try await withThrowingTaskGroup(of: Value?.self) { [clock] group in
                group.addTask { try await query() }
                group.addTask {
                    try await clock.sleep(for: time)
                    return nil
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() ?? nil else { throw RelayStorageError.timedOut }
                return value
            }
        }
    }

    private func wait(for owners: [RelayCaller.Owner]) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.take(for: owners) { return .success(()) }
                    guard state.hasRoom(for: owners) else { return .failure(refusal) }
                    state.waiting.append(Waiting(id: id, owners: owners, continuation: continuation))
                    return nil
                }
                if let result { return continuation.resume(with: result) }
                // Once it waits, so that the end of the time always ends the wait.
                timer = Task { [clock, timeout, refusal] in
                    try await clock.sleep(for: timeout)
                    self.endWait(id, refusal)
                }
            }
        } onCancel: {
            self.endWait(id, CancellationError())
        }
    }

    private func endWait(_ id: Int, _ error: any Error) {
        let waiting = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiting?.continuation.resume(throwing: error)
    }

    private func giveBack(from owners: [RelayCaller.Owner]) {
        let (next, idle) = state.withLock { state in
            state.shares.giveBack(from: owners)
            guard state.shares.taken == 0 else { return (Self.takeNext(&state), nil as CheckedContinuation<Void, Never>?) }
            defer { state.idle = nil }
            return (Self.takeNext(&state), state.idle)
        }
        for waiting in next { waiting.continuation.resume() }
        idle?.resume()
    }

    /// Those who wait and get a turn now.
    private static func takeNext(_ state: inout State) -> [Waiting] {
        var next: [Waiting] = []
        while !state.isPaused, let index = state.shares.takeNext(of: state.waiting.map(\.owners)) {
            next.append(state.waiting.remove(at: index))
        }
        return next
    }

    /// Runs `body` once all turns have ended; others wait for it. Calls must not overlap.
    func whilePaused<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isPaused = true
                if state.shares.taken > 0 { state.idle = continuation }
                return state.shares.taken == 0
            }
            if isIdle { continuation.resume() }
        }
        defer {
            let next = state.withLock { state in
                state.isPaused = false
                return Self.takeNext(&state)
            }
            for waiting in next { waiting.continuation.resume() }
        }
        return try await body()
    }
}
