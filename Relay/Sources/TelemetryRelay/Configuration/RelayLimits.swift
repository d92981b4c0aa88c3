/// How much one request may hold or ask for.
public struct RelayLimits: Sendable, Equatable {
    /// The largest body, in bytes, before and after decompression.
    public var bodyBytes = 4 << 20
    /// The most events in a batch.
    public var batchEvents = 5_000
    /// The most records in a save.
    public var saveRecords = 400
    /// The most events in a page.
    public var page = 1_000
    /// The longest that a request may wait for events, in seconds.
    public var waitSeconds = 60

    public init() {}
}
