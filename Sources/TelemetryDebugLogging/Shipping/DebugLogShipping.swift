#if DEBUG
/// Takes batches of entries to where they are read.
///
/// ``DebugLogger`` calls it with one batch at a time, in order, and again with the same entries after a failure: a
/// conformer makes sure that an entry's `id` sent twice is one entry.
public protocol DebugLogShipping: Sendable {
    /// Delivers a batch, and says what became of it; it never throws, and it returns within a bounded time.
    func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment
}

/// What became of a batch.
public enum DebugLogShipment: Sendable, Equatable {
    /// Every entry is stored.
    case stored
    /// The entries at these indexes were refused for good, each for its reason; the others are stored.
    case refused([Int: String])
    /// The whole batch was refused for good.
    case rejected(String)
    /// The batch is larger than what the other side takes; a smaller one may pass.
    case tooLarge
    /// Nothing is known to be stored, and trying again may help, not before `retryAfter` where the other side named a time.
    case failed(String, retryAfter: Duration? = nil)
}
#endif
