public import Foundation

/// Stores who did what. Entries are never changed, and deleted only when they are older than
/// ``RelayStorageConfiguration/auditAge``. The other stores write the entries of what they change in the same transaction.
public protocol RelayAuditStorage: Sendable {
    /// Writes an entry, and returns when it is in the database. Entries that arrive during a transaction share the next one. Cancelling
    /// the caller has no effect.
    func append(_ entry: RelayAuditEntry) async throws

    /// Returns a page of matching entries.
    /// - Parameters:
    ///   - number: only entries after this one, or before it if the newest come first; nil for all.
    ///   - limit: the maximum number of entries, at least 1.
    func page(matching filter: RelayAuditFilter, after number: Int64?, limit: Int, order: RelayEventOrder) async throws
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
    /// Whether more entries match.
    public let hasMore: Bool

    public init(entries: [RelayStoredAuditEntry], hasMore: Bool) {
        self.entries = entries
        self.hasMore = hasMore
    }
}
