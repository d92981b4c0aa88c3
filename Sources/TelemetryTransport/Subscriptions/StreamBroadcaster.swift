import Synchronization

/// Yields the same elements to any number of streams, each with its own buffer.
package final class StreamBroadcaster<Element: Sendable>: Sendable {
    private typealias Continuation = AsyncStream<Element>.Continuation

    private let buffering: AsyncStream<Element>.Continuation.BufferingPolicy
    private let consumers = Mutex<(next: UInt64, continuations: [UInt64: Continuation])>((0, [:]))

    package init(buffering: AsyncStream<Element>.Continuation.BufferingPolicy) { self.buffering = buffering }

    deinit { finish() }

    /// A stream of the elements that are yielded from now on; removed when its consumer ends.
    package func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
        let id = consumers.withLock { consumers in
            consumers.next += 1
            consumers.continuations[consumers.next] = continuation
            return consumers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.consumers.withLock { _ = $0.continuations.removeValue(forKey: id) }
        }
        return stream
    }

    package func yield(_ element: Element) {
        // Yielded after unlocking, because a consumer that ends meanwhile takes the same lock.
        for continuation in consumers.withLock({ Array($0.continuations.values) }) { continuation.yield(element) }
    }

    /// Whether any stream has a consumer.
    package var hasConsumers: Bool { consumers.withLock { !$0.continuations.isEmpty } }

    /// Ends every stream.
    package func finish() {
        let continuations = consumers.withLock { consumers in
            defer { consumers.continuations = [:] }
            return Array(consumers.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }
}
