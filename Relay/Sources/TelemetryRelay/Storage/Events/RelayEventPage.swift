/// A position in the order of arrival. It remains valid regardless of deletions.
public struct RelayEventCursor: Sendable, Hashable {
    /// Opaque; printable ASCII without spaces.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The line and the position of a stored event.
public struct RelayStoredEvent: Sendable, Equatable {
    /// The position of this event; a later page starts after it.
    public let cursor: RelayEventCursor
    /// The header that applies to the line, with a line feed, as in the file store's segments.
    public let header: [UInt8]
    /// The event's line, with a line feed.
    public let line: [UInt8]

    public init(cursor: RelayEventCursor, header: [UInt8], line: [UInt8]) {
        self.cursor = cursor
        self.header = header
        self.line = line
    }
}

/// A page of matching events.
public struct RelayEventPage: Sendable, Equatable {
    public var events: [RelayStoredEvent]
    /// The cursor for the next page: that of the last event, or, if none are left in ascending order, that of the newest of all
    /// events, so that the next read covers only newer events.
    public var cursor: RelayEventCursor
    /// Whether more events match now.
    public var hasMore: Bool
    /// The number of events that the page leaves out because they cannot be read, and of those of the filter's clients that
    /// retention deleted after the requested cursor; none of the latter without a cursor and in descending order. The filter's other
    /// conditions do not apply. Deletions are recorded in runs: for a cursor inside a run, the number may include other clients'
    /// events, and events before the cursor. Only the last 10,000 runs are kept.
    public var skipped: Int

    public init(events: [RelayStoredEvent], cursor: RelayEventCursor, hasMore: Bool, skipped: Int) {
        self.events = events
        self.cursor = cursor
        self.hasMore = hasMore
        self.skipped = skipped
    }

    /// The bytes of the lines and of their headers.
    var byteCount: Int {
        var header: [UInt8] = []
        return events.reduce(0) { bytes, event in
            let isSame = event.header == header
            header = event.header
            return bytes + event.line.count + (isSame ? 0 : header.count)
        }
    }
}
