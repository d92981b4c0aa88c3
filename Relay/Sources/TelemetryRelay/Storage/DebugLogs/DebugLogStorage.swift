public import Foundation

/// Stores debug log entries.
public protocol DebugLogStorage: Sendable {
    /// Stores entries in order, all of them or none, and then deletes entries beyond the retention limits. Skips an entry whose
    /// `id` is stored already.
    /// - Returns: the number of new entries.
    func store(_ entries: [DebugLog]) async throws -> Int

    /// Returns the entries that match a query, in order of arrival. A page can be shorter than its limit. Does not wait.
    func page(of query: DebugLogQuery) async throws -> DebugLogPage

    /// Yields an element when entries may have arrived. Several arrivals may yield one element, and an element may be spurious.
    /// Subscribe first, then read: no arrival after the call is missed. Arrivals over another relay follow within a second while
    /// ``RelayStorage/run()`` runs.
    func hints() -> AsyncStream<Void>
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

    /// - Parameters:
    ///   - last: the number of the last entry that the page contains, or would contain if it could be read.
    ///   - hasMore: whether the page has no room for an entry that matches.
    init(_ entries: [DebugLog], of query: DebugLogQuery, last: Int64?, hasMore: Bool, newest: Int64) {
        (self.entries, self.hasMore, self.newest) = (entries, hasMore, newest)
        cursor = hasMore || query.isDescending ? last ?? query.cursor ?? newest : newest
    }

    /// The number of entries for which a page has room.
    /// - Parameter sizes: the sizes of the entries in bytes, in order.
    static func count(ofSizes sizes: [Int], limit: Int) -> Int {
        var (count, bytes) = (0, 0)
        for size in sizes.prefix(limit).map({ max(0, $0) }) {
            guard count == 0 || size <= byteLimit - bytes else { break }
            count += 1
            bytes += size
        }
        return count
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
