import Synchronization

/// Wakes those who wait for something of certain clients. What is not taken yet is one element, however often it happened.
final class HintBroadcaster: Sendable {
    private typealias Continuation = AsyncStream<Void>.Continuation

    private struct State {
        var nextID = 0
        /// Those who wait for anything.
        var all: [Int: Continuation] = [:]
        var byClient: [String: [Int: Continuation]] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    func stream(of clients: Set<String>?) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            if let clients {
                for client in clients { state.byClient[client, default: [:]][state.nextID] = continuation }
            } else {
                state.all[state.nextID] = continuation
            }
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id, clients) }
        return stream
    }

    /// - Parameter clients: whom it concerns; nil: everybody.
    func hint(_ clients: Set<String>?) {
        let continuations = state.withLock { state -> [Continuation] in
            let some: [[Int: Continuation]] =
                clients.map { $0.compactMap { state.byClient[$0] } } ?? Array(state.byClient.values)
            return ([state.all] + some).flatMap(\.values)
        }
        for continuation in continuations { continuation.yield() }
    }

    /// Ends every stream, and those that are asked for later.
    func finish() {
        let continuations = state.withLock { state -> [Continuation] in
            state.isFinished = true
            return ([state.all] + state.byClient.values).flatMap(\.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    private func remove(_ id: Int, _ clients: Set<String>?) {
        state.withLock { state in
            state.all[id] = nil
            for client in clients ?? [] {
                state.byClient[client]?[id] = nil
                if state.byClient[client]?.isEmpty ?? false { state.byClient[client] = nil }
            }
        }
    }
}
