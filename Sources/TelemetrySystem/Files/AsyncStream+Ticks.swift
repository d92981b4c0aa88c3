extension AsyncStream where Element == Void {
    /// An element after every interval, at most one buffered; ends with the stream's consumer.
    package static func ticks<C: Clock>(every interval: C.Duration, clock: C) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let ticking = Task {
            while !Task.isCancelled {
                do { try await clock.sleep(for: interval) } catch { break }
                continuation.yield()
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in ticking.cancel() }
        return stream
    }
}
