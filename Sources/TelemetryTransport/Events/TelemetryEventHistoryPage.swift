public import TelemetryModels

/// A page of events that was read backwards, and the cursors at its ends.
public struct TelemetryEventHistoryPage: Sendable {
    /// Oldest first, in the order in which the store received them.
    public let events: [TelemetryEvent]
    /// The position before the first event; nil for the beginning of the store.
    public let start: TelemetryCursor?
    /// The position after the last event examined; reading from here returns only later events.
    public let end: TelemetryCursor
    /// Whether the store may have matching events before `start`.
    public let hasMore: Bool

    /// Creates a page; the parameters are the properties of the same names.
    public init(events: [TelemetryEvent], start: TelemetryCursor?, end: TelemetryCursor, hasMore: Bool) {
        self.events = events
        self.start = start
        self.end = end
        self.hasMore = hasMore
    }
}
