public import Foundation

/// Keeps debug entries: in memory, in a file, or wherever a conformer puts them.
public protocol DebugLogStorage: Sendable {
    /// Stores entries in their order, together or not at all, and deletes what then is too much; one whose `id` is stored already
    /// is not stored again.
    /// - Returns: how many are new.
    func store(_ entries: [DebugLog]) async throws -> Int
    /// The entries that a query asks for, in the order of their arrival.
    func page(of query: DebugLogQuery) async throws -> DebugLogPage
    /// Deletes what has become too old.
    func expire() async throws
    /// How much is kept; throws where the storage is of no use.
    func usage() async throws -> DebugLogUsage
}

/// Which entries are looked for, and which part of them is wanted.
public struct DebugLogQuery: Sendable, Equatable {
    public var source: DebugLog.Source?
    public var level: DebugLog.Level?
    public var event: String?
    public var correlationId: UUID?
    public var sessionId: UUID?
    public var deviceId: UUID?
    /// Included.
    public var since: Date?
    /// Not included.
    public var until: Date?
    /// Stands somewhere in the event's name or in the payload's text; ASCII letters match in either case.
    public var text: String?
    /// Newest first; otherwise oldest first.
    public var isDescending = false
    /// Only what arrived after this number, or before it where the newest come first.
    public var cursor: Int64?
    public var limit = 100
    /// How long to wait for an entry to arrive where none is found; the storage itself does not.
    public var wait: Duration = .zero

    public init() {}
}

/// A part of what a query found.
public struct DebugLogPage: Sendable, Equatable {
    public let entries: [DebugLog]
    /// Where to go on: the last entry's number, or, where nothing is left, the newest of all, for asking again later.
    public let cursor: Int64
    public let hasMore: Bool
    /// The newest stored entry's number; 0 where none is.
    public let newest: Int64

    /// What a page's entries take at most, in bytes of their payloads and names; a page has one entry in any case.
    static let byteLimit = 8 << 20

    init(_ found: Found, newest: Int64) {
        entries = found.rows.map(\.entry)
        hasMore = found.hasMore
        self.newest = newest
        let last = found.rows.last?.number
        cursor = hasMore || found.query.isDescending ? last ?? found.query.cursor ?? newest : newest
    }

    /// The entries found so far, up to what a page may have.
    struct Found {
        let query: DebugLogQuery
        private(set) var rows: [(number: Int64, entry: DebugLog)] = []
        /// Whether an entry was found that the page has no room for.
        private(set) var hasMore = false
        private var bytes = 0

        init(for query: DebugLogQuery) { self.query = query }

        /// Whether an entry of so many bytes has its place on the page; where it has not, nothing more has to be looked for.
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
    /// The payload as it is stored and searched: compact, its keys sorted.
    var payloadText: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(payload), as: UTF8.self)
        }
    }
}
