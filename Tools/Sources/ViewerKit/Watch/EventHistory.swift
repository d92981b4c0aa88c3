import Foundation
public import TelemetryModels
public import TelemetryTransport

/// Reads stored events that a view does not keep, page by page in both directions.
///
/// Pages are read forwards again, also by a store that is read only forwards. Therefore the cursors before the pages that the view
/// has read are kept, one for each ``pageSize`` events. Events from before the view's start are searched for in periods of growing
/// length, which end where the previous one began; the cursors of their pages are kept in the same way.
public actor EventHistory {
    /// The maximum number of events of a page.
    public static let pageSize = 2_000
    /// The number of events of a period above which it is shortened.
    private static let largePeriod = 50_000
    /// In seconds.
    private static let (shortestPeriod, longestPeriod) = (1.0, 3e9)

    private struct Page {
        let filter: TelemetryEventFilter
        /// The cursor before the page.
        let cursor: TelemetryCursor?
        var ordinals: Range<Int>
    }

    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter
    /// Without gaps, oldest first.
    private var pages: [Page] = []
    /// The position before which there may be more events since the view's start than ``newestEvents()`` read; nil if there are none.
    private var unread: TelemetryCursor?
    /// The date before which no events have been searched for; nil if there are none.
    private var start: Date?
    /// The length of the next period, in seconds.
    private var period: TimeInterval = 600

    /// Whether there may be events before the known pages.
    private var hasOlder: Bool { unread != nil || start != nil }

    /// The number of pages with a known cursor.
    var pageCount: Int { pages.count }

    /// - Parameter filter: Of the events that the view shows. Events from before its date are searched for when they are wanted; without
    ///   one, the view begins with the newest events.
    public init(transport: any TelemetryEventTransport, filter: TelemetryEventFilter = .all) {
        self.transport = transport
        self.filter = filter
        start = filter.since
    }

    /// The filter for another period.
    private func narrowed(since begin: Date?, until end: Date?) -> TelemetryEventFilter {
        var filter = filter
        (filter.since, filter.until) = (begin, end)
        return filter
    }

    /// Reads the newest events since the view's start, at most as many as a view keeps, and records them.
    /// - Returns: The events, oldest first, the position after them, and whether there may be more since the view's start.
    /// - Throws: The transport's errors.
    public func newestEvents() async throws -> (events: [TelemetryEvent], end: TelemetryCursor, hasMore: Bool) {
        let parts = try await parts(before: nil, count: EventLog.capacity)
        unread = parts[0].hasMore ? parts[0].start : nil
        for part in parts { record(part.events.count, after: part.start) }
        return (parts.flatMap(\.events), parts[parts.count - 1].end, parts[0].hasMore)
    }

    /// The newest events since the view's start and before a position, oldest first.
    private func parts(before end: TelemetryCursor?, count: Int) async throws -> [TelemetryEventHistoryPage] {
        var parts: [TelemetryEventHistoryPage] = []
        var (end, missing) = (end, count)
        while true {
            let part = try await transport.events(matching: filter, before: end, limit: min(missing, Self.pageSize))
            parts.insert(part, at: 0)
            missing -= part.events.count
            guard missing > 0, part.hasMore, let start = part.start else { return parts }
            end = start
        }
    }

    /// Records that the view has read this number of events after the cursor.
    public func record(_ count: Int, after cursor: TelemetryCursor?) {
        Self.append(count, after: cursor, matching: filter, to: &pages)
    }

    /// Appends a page, or adds its events to the last one if that stays small: a relay may return small pages.
    private static func append(
        _ count: Int, after cursor: TelemetryCursor?, matching filter: TelemetryEventFilter, to pages: inout [Page]
    ) {
        guard count > 0 else { return }
        if let last = pages.last, last.filter == filter, last.ordinals.count + count <= pageSize {
            pages[pages.count - 1].ordinals = last.ordinals.lowerBound..<last.ordinals.upperBound + count
        } else {
            let end = pages.last?.ordinals.upperBound ?? 0
            pages.append(Page(filter: filter, cursor: cursor, ordinals: end..<end + count))
        }
    }

    /// Reads a page. It is empty if there are no such events.
    /// - Throws: The transport's errors.
    public func page(_ request: HistoryRequest) async throws -> HistoryPage {
        switch request {
        case .older(let end):
            if pages.first.map({ end <= $0.ordinals.lowerBound }) ?? true { try await findOlderPages() }
            guard let page = pages.last(where: { $0.ordinals.lowerBound < end }) else {
                return HistoryPage(range: end..<end, events: [], isOldest: !hasOlder)
            }
            return try await read(page, page.ordinals.lowerBound..<min(end, page.ordinals.upperBound))
        case .newer(let start):
            guard let page = pages.first(where: { $0.ordinals.upperBound > start }) else {
                return HistoryPage(range: start..<start, events: [], isOldest: false)
            }
            return try await read(page, max(start, page.ordinals.lowerBound)..<page.ordinals.upperBound)
        case .around(let ordinal):
            guard let page = pages.first(where: { $0.ordinals.contains(ordinal) }) else {
                return HistoryPage(range: ordinal..<ordinal, events: [], isOldest: false)
            }
            return try await read(page, page.ordinals)
        }
    }

    /// Reads a part of a page. The events before the part are read as well, because only the page has a cursor.
    private func read(_ page: Page, _ range: Range<Int>) async throws -> HistoryPage {
        var events: [TelemetryEvent] = []
        var cursor = page.cursor
        let count = range.upperBound - page.ordinals.lowerBound
        while events.count < count {
            let part = try await transport.events(matching: page.filter, after: cursor, limit: count - events.count)
            events += part.events
            cursor = part.cursor
            if !part.hasMore { break }
        }
        // If retention deleted events, it deleted the oldest ones.
        return HistoryPage(
            range: range, events: events.suffix(range.count), isOldest: !hasOlder && page.ordinals == pages[0].ordinals)
    }

    /// Searches for events in earlier and longer periods until there are some.
    ///
    /// Counts before it reads, so that a period with very many events is shortened instead of read whole.
    private func findOlderPages() async throws {
        guard try await !findUnreadPage() else { return }
        while unread == nil, let end = start {
            let begin = period < Self.longestPeriod ? end - period : nil
            let filter = narrowed(since: begin, until: end)
            let count = try await transport.summarizedCount(matching: filter)
            guard start == end, unread == nil else { return }
            if count > Self.largePeriod, period > Self.shortestPeriod {
                period = max(Self.shortestPeriod, period * Double(Self.largePeriod / 2) / Double(count))
                continue
            }
            let found = count > 0 ? try await pages(matching: filter) : []
            // Another request may have searched this period in the meantime.
            guard start == end, unread == nil else { return }
            insert(found)
            start = begin
            if count < Self.pageSize { period *= 8 }
            guard found.isEmpty, let begin else { return }
            let isOldest = try await transport.summarizedCount(matching: narrowed(since: nil, until: begin)) == 0
            guard start == begin else { return }
            if isOldest { start = nil }
        }
    }

    /// Reads the page before the events that ``newestEvents()`` read. Returns false if there are no such events.
    private func findUnreadPage() async throws -> Bool {
        guard let end = unread else { return false }
        let parts = try await parts(before: end, count: Self.pageSize)
        // Another request may have read this page in the meantime.
        guard unread == end else { return true }
        unread = parts[0].hasMore ? parts[0].start : nil
        var found: [Page] = []
        for part in parts { Self.append(part.events.count, after: part.start, matching: filter, to: &found) }
        insert(found)
        return !found.isEmpty
    }

    /// Inserts pages with ordinals from 0 before the known ones.
    private func insert(_ found: [Page]) {
        let step = (pages.first?.ordinals.lowerBound ?? 0) - (found.last?.ordinals.upperBound ?? 0)
        let moved = found.map { page in
            var page = page
            page.ordinals = page.ordinals.lowerBound + step..<page.ordinals.upperBound + step
            return page
        }
        pages.insert(contentsOf: moved, at: 0)
    }

    /// The pages of a period, with ordinals from 0.
    private func pages(matching filter: TelemetryEventFilter) async throws -> [Page] {
        var found: [Page] = []
        var cursor: TelemetryCursor?
        while true {
            try Task.checkCancellation()
            let page = try await transport.events(matching: filter, after: cursor, limit: Self.pageSize)
            Self.append(page.events.count, after: cursor, matching: filter, to: &found)
            cursor = page.cursor
            guard page.hasMore else { return found }
        }
    }
}
