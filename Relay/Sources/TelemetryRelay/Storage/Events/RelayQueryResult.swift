@_spi(Tooling) public import TelemetryModels

/// What a query found: rows of a table, or events if there are no columns.
public struct RelayQueryResult: Sendable {
    public var columns: [String] = []
    public var rows: [[TelemetryQueryResult.Value]] = []
    public var events: [QueriedEvent] = []
    /// How many events the query's filter matched.
    public var matched = 0
    /// Whether there are more events, which are left out because all together are too large.
    public var isCut = false
}

/// An event, and its line as it is stored.
public struct QueriedEvent: Sendable {
    public let event: TelemetryEvent
    /// The header that applies to the line, with a line feed.
    public let header: [UInt8]
    /// The event's line, with a line feed.
    public let line: [UInt8]
}

@_spi(Tooling)
extension QueriedEvent: QuerySubject {
    public func value(of field: QueryField) -> TelemetryValue? { event.value(of: field) }

    public var byteCount: Int { event.byteCount + line.count }

    public func hasText(where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool { event.hasText(where: isMatch) }
}
