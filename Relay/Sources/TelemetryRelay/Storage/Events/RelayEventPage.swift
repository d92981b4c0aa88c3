/// A place in the order of arrival. It stays good for good, whatever is deleted.
public struct RelayEventCursor: Sendable, Hashable {
    /// Opaque; printable ASCII without spaces.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A stored event's text, and its place.
public struct RelayStoredEvent: Sendable, Equatable {
    /// The place of this event: what follows a page that ends with it comes after this.
    public let cursor: RelayEventCursor
    /// The whole event as a JSON object on one line.
    public let json: String

    public init(cursor: RelayEventCursor, json: String) {
        self.cursor = cursor
        self.json = json
    }
}

/// A part of the events that match.
public struct RelayEventPage: Sendable, Equatable {
    public var events: [RelayStoredEvent]
    /// Where to go on: the last event's, and, where nothing is left in ascending order, the newest of all events, so that asking
    /// again looks only at what came since.
    public var cursor: RelayEventCursor
    /// Whether more events match now.
    public var hasMore: Bool
    /// How many events of the filter's clients retention has deleted after the cursor asked for; 0 without one and in descending
    /// order. Of the filter's conditions only the clients count. Deletions are recorded in runs of up to 500 events: for a cursor
    /// inside such a run the figure may be too high by what other clients have there. Only the last 10,000 runs are known.
    public var skipped: Int

    public init(events: [RelayStoredEvent], cursor: RelayEventCursor, hasMore: Bool, skipped: Int) {
        self.events = events
        self.cursor = cursor
        self.hasMore = hasMore
        self.skipped = skipped
    }
}
