import Synchronization

/// Notifies streams of changes to certain clients. Several hints before a read are delivered as one element.
final class HintBroadcaster: Sendable {
    private typealias Continuation = AsyncStream<Void>.Continuation

    private struct State {
        var nextID = 0
        var streams: [Int: Continuation] = [:]
        /// The streams for all clients.
        var ofAll: Set<Int> = []
        var ofClient: [String: Set<Int>] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    func stream(of clients: Set<String>?) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            let id = state.nextID
            state.nextID += 1
            state.streams[id] = continuation
            if let clients {
                for client in clients { state.ofClient[client, default: []].insert(id) }
            } else {
                state.ofAll.insert(id)
            }
            return id
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id, clients) }
        return stream
    }

    /// - Parameter clients: the affected clients; nil means all.
    func hint(_ clients: Set<String>?) {
        let continuations = state.withLock { state -> [Continuation] in
            guard let clients else { return Array(state.streams.values) }
            let ids = clients.reduce(into: state.ofAll) { $0.formUnion(state.ofClient[$1] ?? []) }
            return ids.compactMap { state.streams[$0] }
        }
        for continuation in continuations { continuation.yield() }
    }

    /// Ends all current and future streams.
    func finish() {
        let continuations = state.withLock { state -> [Continuation] in
            state.isFinished = true
            return Array(state.streams.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    private func remove(_ id: Int, _ clients: Set<String>?) {
        state.withLock { state in
            state.streams[id] = nil
            state.ofAll.remove(id)
            for client in clients ?? [] {
                state.ofClient[client]?.remove(id)
                if state.ofClient[client]?.isEmpty ?? false { state.ofClient[client] = nil }
            }
        }
    }
}
