#if DEBUG
/// Delivers batches of entries to a destination.
///
/// ``DebugLogger`` calls it with one batch at a time, in order, and again with the same entries after a failure: a conforming
/// type ensures that entries with the same `id` are stored once.
public protocol DebugLogShipping: Sendable {
    /// Delivers a batch and returns the result. It never throws, and returns within a bounded time.
    func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment
}

/// The result of delivering a batch.
public enum DebugLogShipment: Sendable, Equatable {
    /// Every entry is stored.
    case stored
    /// The entries at these indexes were permanently refused, each for its reason; the others are stored.
    case refused([Int: String])
    /// The whole batch was permanently refused.
    case rejected(String)
    /// The batch is larger than the destination accepts; a smaller one may succeed.
    case tooLarge
    /// The batch may not be stored. A retry may succeed, but not before `retryAfter`, if it is set.
    case failed(String, retryAfter: Duration? = nil)
}
#endif
