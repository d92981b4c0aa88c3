import Synchronization

/// One connection to a stream of the relay for any number of consumers, open while there are some.
final class SharedEventStream<Element: Sendable>: Sendable {
    private typealias Continuation = AsyncStream<Element>.Continuation

    private struct State {
        var nextID: UInt64 = 0
        var consumers: [UInt64: Continuation] = [:]
        var reading: Task<Void, Never>?
    }

    private let source: EventSource
    private let buffering: Continuation.BufferingPolicy
    /// What a consumer gets in place of elements that it did not fetch in time.
    private let replacement: Element?
    private let element: @Sendable (EventSource.Occurrence) -> Element?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - replacement: Stands for elements that were dropped because a consumer is slow; nil where any element does.
    ///   - element: What an occurrence means for the consumers; nil for nothing.
    init(
        _ source: EventSource, buffering: AsyncStream<Element>.Continuation.BufferingPolicy, replacement: Element? = nil,
        element: @escaping @Sendable (EventSource.Occurrence) -> Element?
    ) {
        self.source = source
        self.buffering = buffering
        self.replacement = replacement
        self.element = element
    }

    deinit {
        let (consumers, reading) = state.withLock { ($0.consumers.values.map(\.self), $0.reading) }
        reading?.cancel()
        for consumer in consumers { consumer.finish() }
    }

    /// A stream of what comes from now on; it ends when its consumer does.
    func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
        let id = state.withLock { state in
            state.nextID += 1
            state.consumers[state.nextID] = continuation
            if state.reading == nil { state.reading = begin() }
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    /// Connects anew, as somebody else: what was read up to now says nothing of what that one may read.
    func restart() {
        let former = state.withLock { state -> Task<Void, Never>? in
            guard let former = state.reading else { return nil }
            state.reading = begin()
            return former
        }
        former?.cancel()
    }

    private func remove(_ id: UInt64) {
        let former = state.withLock { state -> Task<Void, Never>? in
            state.consumers[id] = nil
            guard state.consumers.isEmpty else { return nil }
            defer { state.reading = nil }
            return state.reading
        }
        former?.cancel()
    }

    private func begin() -> Task<Void, Never> {
        Task { [source, weak self] in
            await source.run { [weak self] occurrence in
                // A connection that was replaced may still deliver.
                if !Task.isCancelled { self?.receive(occurrence) }
            }
        }
    }

    private func receive(_ occurrence: EventSource.Occurrence) {
        guard let element = element(occurrence) else { return }
        // Yielded after unlocking: a consumer that ends meanwhile takes the same lock.
        for consumer in state.withLock({ Array($0.consumers.values) }) {
            if case .dropped = consumer.yield(element), let replacement { consumer.yield(replacement) }
        }
    }
}
