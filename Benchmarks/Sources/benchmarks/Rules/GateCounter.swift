import Synchronization

/// The number of loggers whose gate is open.
final class GateCounter: Sendable {
    private struct State {
        var open = 0
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var openGates: Int { state.withLock(\.open) }

    func add(_ change: Int) {
        let reached = state.withLock { state in
            state.open += change
            guard let waiting = state.waiting, waiting.count == state.open else {
                return nil as CheckedContinuation<Void, Never>?
            }
            state.waiting = nil
            return waiting.continuation
        }
        reached?.resume()
    }

    /// Returns when this number of gates is open. For one caller at a time.
    func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.open != count { state.waiting = (count, continuation) }
                return state.open == count
            }
            if isReached { continuation.resume() }
        }
    }
}
