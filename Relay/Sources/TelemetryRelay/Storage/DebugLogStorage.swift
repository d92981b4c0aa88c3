public import Foundation

/// Stores debug log entries.
public protocol DebugLogStorage: Sendable {
    /// Whether other relays may store entries here, too. A request that waits then looks for them every second. The default is false.
    var isShared: Bool { get }
    /// Stores entries in order, all of them or none, and then deletes entries beyond the retention limits. Skips an entry whose
    /// `id` is stored already.
    /// - Returns: the number of new entries.
    func store(_ entries: [DebugLog]) async throws -> Int
    /// Returns the entries that match a query, in order of arrival. Does not wait.
    func page(of query: DebugLogQuery) async throws -> DebugLogPage
    /// Deletes expired entries.
    func expire() async throws
    /// Returns the current size. Throws if the storage is unusable.
    func usage() async throws -> DebugLogUsage
}

extension DebugLogStorage {
    public var isShared: Bool { false }
}

/// A filter for entries, and the page of the result to return.
public struct DebugLogQuery: Sendable, Equatable {
    public var source: DebugLog.Source?
    public var level: DebugLog.Level?
    public var event: String?
    public var correlationId: UUID?
    public var sessionId: UUID?
    public var deviceId: UUID?
    /// Included.
    public var since: Date?
    /// Excluded.
    public var until: Date?
    /// A substring of the event's name or the payload's text; ASCII letters are case-insensitive.
    public var text: String?
    /// Newest first; otherwise oldest first.
    public var isDescending = false
    /// Only entries that arrived after this number; before it if newest first.
    public var cursor: Int64?
    public var limit = 100
    /// How long to wait for an entry if none matches. The storage itself does not wait.
    public var wait: Duration = .zero

    public init() {}
}

/// A page of a query's result.
public struct DebugLogPage: Sendable, Equatable {
    public let entries: [DebugLog]
    /// The cursor for the next page: the last entry's number, or the newest number of all if no entries are left.
    public let cursor: Int64
    public let hasMore: Bool
    /// The number of the newest stored entry; 0 if there is none.
    public let newest: Int64

    /// The maximum size of a page, in bytes of payloads and names. A page always has room for one entry.
    static let byteLimit = 8 << 20

    init(_ found: Found, newest: Int64) {
        entries = found.rows.map(\.entry)
        hasMore = found.hasMore
        self.newest = newest
        let last = found.rows.last?.number
        cursor = hasMore || found.query.isDescending ? last ?? found.query.cursor ?? newest : newest
    }

    /// Collects entries up to the limits of a page.
    struct Found {
        let query: DebugLogQuery
        private(set) var rows: [(number: Int64, entry: DebugLog)] = []
        /// Whether an entry matched for which the page has no room.
        private(set) var hasMore = false
        private var bytes = 0

        init(for query: DebugLogQuery) { self.query = query }

        /// Whether the page has room for an entry of this many bytes. If not, the search can stop.
        mutating func hasRoom(for size: Int) -> Bool {
            hasMore = rows.count >= query.limit || (!rows.isEmpty && size > DebugLogPage.byteLimit - bytes)
            return !hasMore
        }

        mutating func add(_ entry: DebugLog, number: Int64, size: Int) {
            rows.append((number, entry))
            bytes += size
        }
    }
}

extension DebugLog {
    /// The payload as stored and searched: compact, with sorted keys.
    var payloadText: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(payload), as: UTF8.self)
        }
    }
}
