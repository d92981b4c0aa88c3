public import TelemetryModels

/// A page of events, and the cursor of the next page.
public struct TelemetryEventPage: Sendable {
    /// Oldest first, in the order in which the store received them.
    public let events: [TelemetryEvent]
    /// The position after the last event examined; reading from here returns only later events.
    public let cursor: TelemetryCursor
    /// Whether more events may be available now.
    public let hasMore: Bool
    /// How many events retention removed between the requested cursor and this page, and how many of this page a relay cannot read.
    public let skippedEventCount: Int

    /// Creates a page; the parameters are the properties of the same names.
    public init(events: [TelemetryEvent], cursor: TelemetryCursor, hasMore: Bool, skippedEventCount: Int = 0) {
        self.events = events
        self.cursor = cursor
        self.hasMore = hasMore
        self.skippedEventCount = skippedEventCount
    }
}
