import Synchronization

/// One connection to a stream of the relay for any number of consumers. It is open while there are consumers.
final class SharedEventStream<Element: Sendable>: Sendable {
    private typealias Continuation = AsyncStream<Element>.Continuation

    private struct State {
        var nextID: UInt64 = 0
        var consumers: [UInt64: Continuation] = [:]
        var reading: Task<Void, Never>?
    }

    private let source: EventSource
    private let buffering: Continuation.BufferingPolicy
    /// The element that a consumer receives in place of elements that were dropped.
    private let replacement: Element?
    private let element: @Sendable (EventSource.Occurrence) -> Element?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - replacement: Replaces elements that were dropped because a consumer is slow; nil if any element has the same meaning.
    ///   - element: Returns the element for an occurrence; nil for none.
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

    /// Returns a stream of the elements from now on. It ends when its consumer does.
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

    /// Reconnects after the caller's identity changed. The last event identifier is not kept, because the new identity may read
    /// other events.
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
                // A replaced connection may still deliver.
                if !Task.isCancelled { self?.receive(occurrence) }
            }
        }
    }

    private func receive(_ occurrence: EventSource.Occurrence) {
        guard let element = element(occurrence) else { return }
        // Yielded after unlocking, because a consumer that ends meanwhile takes the same lock.
        for consumer in state.withLock({ Array($0.consumers.values) }) {
            if case .dropped = consumer.yield(element), let replacement { consumer.yield(replacement) }
        }
    }
}
