import Synchronization

/// Lets a few tests run at once, while the others wait.
///
/// Swift Testing begins all tests of a process together. On a busy machine each would take as long as all of them, and those with
/// sockets would fail at time limits that are not their own.
@_spi(Tooling) public enum TestTurns {
    private struct State {
        var free = 4
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    @TaskLocal private static var hasTurn = false
    private static let state = Mutex(State())

    /// Runs the body when it is its turn, or at once as a part of a body that has its turn.
    public static func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard !hasTurn else { return try await body() }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        defer { pass() }
        return try await $hasTurn.withValue(true, operation: body)
    }

    /// Passes a turn to the body that began to wait last, so that the tests of a serialized suite do not each wait for all others.
    private static func pass() {
        let next = state.withLock { state in
            let next = state.waiting.popLast()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
