import Foundation
public import TelemetryModels
public import TelemetryTransport

/// Reads stored events that a view does not keep, page by page in both directions.
///
/// The cursors after the pages that the view has read are kept, one for each ``pageSize`` events. Pages are read again backwards from
/// there: if the filter contains a relative date, their oldest events may no longer match.
public actor EventHistory {
    /// The maximum number of events of a page.
    public static let pageSize = 2_000

    /// Where earlier events are read from.
    private struct Position: Equatable {
        let filter: TelemetryEventFilter
        /// The cursor after them; nil for the end of the store.
        let end: TelemetryCursor?
    }

    private struct Page {
        let filter: TelemetryEventFilter
        /// The cursor after the page.
        var end: TelemetryCursor
        var ordinals: Range<Int>
    }

    private let transport: any TelemetryEventTransport
    private let filter: TelemetryEventFilter
    /// Where the events from before the filter's date are read from.
    private let beforeStart: Position?
    /// Without gaps, oldest first.
    private var pages: [Page] = []
    /// The position before the first of these pages; nil if there are no earlier events.
    private var unread: Position?

    /// The number of pages with a known cursor.
    var pageCount: Int { pages.count }

    /// - Parameter filter: Of the events that the view shows. Events from before its date are read on request; without one, the view
    ///   begins with the newest events.
    public init(transport: any TelemetryEventTransport, filter: TelemetryEventFilter = .all) {
        self.transport = transport
        self.filter = filter
        beforeStart = filter.since.map { since in
            var earlier = filter
            (earlier.since, earlier.until) = (nil, since)
            return Position(filter: earlier, end: nil)
        }
        unread = beforeStart
    }

    /// The position before the first of these pages; nil if there are no earlier events.
    private func position(before parts: [TelemetryEventHistoryPage], of filter: TelemetryEventFilter) -> Position? {
        if parts[0].hasMore { return Position(filter: filter, end: parts[0].start) }
        return filter == self.filter ? beforeStart : nil
    }

    /// Reads the newest events since the view's start, at most as many as a view keeps, and records them.
    /// - Returns: The events, oldest first, the position after them, and whether there may be more since the view's start.
    /// - Throws: The transport's errors.
    public func newestEvents() async throws -> (events: [TelemetryEvent], end: TelemetryCursor, hasMore: Bool) {
        let parts = try await parts(Position(filter: filter, end: nil), count: EventLog.capacity)
        unread = position(before: parts, of: filter)
        for part in parts { record(part.events.count, before: part.end) }
        return (parts.flatMap(\.events), parts[parts.count - 1].end, parts[0].hasMore)
    }

    /// The newest events before a position, oldest first.
    private func parts(_ position: Position, count: Int) async throws -> [TelemetryEventHistoryPage] {
        var parts: [TelemetryEventHistoryPage] = []
        var (end, missing) = (position.end, count)
        while true {
            let part = try await transport.events(matching: position.filter, before: end, limit: min(missing, Self.pageSize))
            parts.insert(part, at: 0)
            missing -= part.events.count
            guard missing > 0, part.hasMore, let start = part.start else { return parts }
            end = start
        }
    }

    /// Begins without the newest events: all events before the position are read on request.
    public func begin(before position: TelemetryCursor) { unread = Position(filter: filter, end: position) }

    /// Records that the view has read this number of events, the newest of which precede the cursor.
    public func record(_ count: Int, before end: TelemetryCursor) {
        Self.append(count, before: end, matching: filter, to: &pages)
    }

    /// Appends a page, or adds its events to the last one if that stays small: a relay may return small pages.
    private static func append(
        _ count: Int, before end: TelemetryCursor, matching filter: TelemetryEventFilter, to pages: inout [Page]
    ) {
        guard count > 0 else { return }
        if let last = pages.last, last.filter == filter, last.ordinals.count + count <= pageSize {
            pages[pages.count - 1].ordinals = last.ordinals.lowerBound..<last.ordinals.upperBound + count
            pages[pages.count - 1].end = end
        } else {
            let start = pages.last?.ordinals.upperBound ?? 0
            pages.append(Page(filter: filter, end: end, ordinals: start..<start + count))
        }
    }

    /// Reads a page. It is empty if there are no such events.
    /// - Throws: The transport's errors.
    public func page(_ request: HistoryRequest) async throws -> HistoryPage {
        switch request {
        case .older(let end):
            if pages.first.map({ end <= $0.ordinals.lowerBound }) ?? true { try await findOlderPages() }
            guard let page = pages.last(where: { $0.ordinals.lowerBound < end }) else {
                return HistoryPage(range: end..<end, events: [], isOldest: unread == nil)
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

    /// Reads a part of a page. The events after the part are read as well, because only the page has a cursor.
    private func read(_ page: Page, _ range: Range<Int>) async throws -> HistoryPage {
        let end = page.ordinals.upperBound
        let parts = try await parts(Position(filter: page.filter, end: page.end), count: end - range.lowerBound)
        // If events are missing, because they were deleted or because of a relative date, they are the oldest ones.
        return HistoryPage(
            range: range, events: parts.flatMap(\.events).dropLast(end - range.upperBound),
            isOldest: unread == nil && page.ordinals == pages[0].ordinals)
    }

    /// Reads the page before the known ones, if there is one.
    private func findOlderPages() async throws {
        while let position = unread {
            let parts = try await parts(position, count: Self.pageSize)
            // Another request may have read this page in the meantime.
            guard unread == position else { return }
            unread = self.position(before: parts, of: position.filter)
            var found: [Page] = []
            for part in parts { Self.append(part.events.count, before: part.end, matching: position.filter, to: &found) }
            insert(found)
            guard found.isEmpty else { return }
        }
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
}
