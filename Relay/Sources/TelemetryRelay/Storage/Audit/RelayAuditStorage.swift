public import Foundation

/// Stores who did what. Entries are never changed, and deleted only when they are older than
/// ``RelayStorageConfiguration/auditAge``. The other stores write the entries of what they change in the same transaction.
public protocol RelayAuditStorage: Sendable {
    /// Writes an entry, and returns when it is in the database. Entries that arrive during a transaction share the next one. Cancelling
    /// the caller has no effect.
    func append(_ entry: RelayAuditEntry) async throws

    /// Returns a page of matching entries.
    /// - Parameters:
    ///   - position: the cursor of a page, or the number of an entry: only entries after it, or before it if the newest come first. Nil
    ///     for all.
    ///   - limit: the maximum number of entries, at least 1.
    /// - Throws: ``RelayStorageError/invalidCursor``, for one from before a restore too.
    func page(matching filter: RelayAuditFilter, after position: String?, limit: Int, order: RelayEventOrder) async throws
        -> RelayAuditPage
}

/// A filter for entries. An entry must meet every condition that is not nil.
public struct RelayAuditFilter: Sendable, Equatable {
    /// Included.
    public var since: Date?
    /// Excluded.
    public var until: Date?
    public var token: String?
    public var client: String?
    /// Whether a client's entries include those that concern the events of all clients.
    public var includesEveryone = false
    public var actions: Set<RelayAuditEntry.Action>?

    public init() {}
}

/// A page of entries.
public struct RelayAuditPage: Sendable, Equatable {
    public let entries: [RelayStoredAuditEntry]
    /// Continues after this page.
    public let cursor: String
    /// Whether more entries match.
    public let hasMore: Bool

    public init(entries: [RelayStoredAuditEntry], cursor: String, hasMore: Bool) {
        self.entries = entries
        self.cursor = cursor
        self.hasMore = hasMore
    }
}
