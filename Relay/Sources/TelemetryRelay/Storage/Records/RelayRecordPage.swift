/// A position in the order of a query's records. It remains valid regardless of changes to records.
public struct RelayRecordCursor: Sendable, Hashable {
    /// Opaque; printable ASCII without spaces.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Which of a query's records a page contains.
public struct RelayRecordPageRequest: Sendable {
    /// The cursor of the previous page; nil begins with the first record.
    public var after: RelayRecordCursor?
    /// The maximum number of records, at least 1.
    public var limit: Int
    /// The maximum size of the stored records, in bytes of JSON. A larger record is a page of its own.
    public var bytes: Int
    /// Whether a record is part of the result, in addition to the query's conditions.
    public var admits: @Sendable (RelayRecord) -> Bool
    /// The number of records that are selected at once. Their keys use about as much memory as a page.
    var candidates = 10_000

    public init(
        after: RelayRecordCursor? = nil, limit: Int = .max, bytes: Int = 4 << 20,
        admits: @escaping @Sendable (RelayRecord) -> Bool = { _ in true }
    ) {
        self.after = after
        self.limit = limit
        self.bytes = bytes
        self.admits = admits
    }
}

/// A page of a query's records.
public struct RelayRecordPage: Sendable, Equatable {
    /// The records in the query's order.
    public var records: [RelayRecord]
    /// The cursor for the next page.
    public var cursor: RelayRecordCursor
    /// Whether more records match now. If so, this page is not empty.
    public var hasMore: Bool

    public init(records: [RelayRecord], cursor: RelayRecordCursor, hasMore: Bool) {
        self.records = records
        self.cursor = cursor
        self.hasMore = hasMore
    }
}
