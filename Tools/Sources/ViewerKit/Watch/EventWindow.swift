import TelemetryModels

/// The events that a paused view shows. New events do not change it, and it can be moved over the stored events.
struct EventWindow: Sendable {
    /// The maximum number of events; the window moves when more are added.
    static let capacity = 10_000

    private(set) var log: EventLog
    /// The ordinals of the events that were loaded, whether or not they are kept.
    private(set) var range: Range<Int>
    /// Whether the store has no older events.
    private(set) var isOldest = false
    /// The number of the selected entry.
    var cursor: Int
    /// The number after that of the last entry on the screen.
    var end: Int

    /// A copy of the view's log.
    init(copyOf log: EventLog, cursor: Int) {
        self.log = log
        range = log.firstOrdinal..<max(log.firstOrdinal, log.total)
        self.cursor = cursor
        end = log.end
    }

    /// A window of stored events.
    init(_ page: HistoryPage, cursorOrdinal: Int, findsGaps: Bool) {
        log = EventLog(capacity: nil, findsGaps: findsGaps)
        range = page.range
        cursor = 0
        end = 0
        rebuild(page.items, cursorOrdinal: cursorOrdinal, distance: 0)
    }

    /// Adds the page before or after the window's events, and removes events from the other end.
    /// - Returns: The number of events that were added, or nil if the page does not adjoin the window.
    mutating func add(_ page: HistoryPage) -> Int? {
        let isOlder = page.range.upperBound == range.lowerBound
        guard isOlder || page.range.lowerBound == range.upperBound else { return nil }
        isOldest = isOldest || (isOlder && page.isOldest)
        var all = isOlder ? page.items + items : items + page.items
        range = min(range.lowerBound, page.range.lowerBound)..<max(range.upperBound, page.range.upperBound)
        let surplus = all.count - Self.capacity
        if surplus > 0, isOlder {
            range = range.lowerBound..<all[Self.capacity].ordinal
            all.removeLast(surplus)
        } else if surplus > 0 {
            range = all[surplus].ordinal..<range.upperBound
            all.removeFirst(surplus)
            isOldest = false
        }
        let cursorOrdinal = cursor < log.end ? log.ordinal(of: max(cursor, log.first)) : range.upperBound
        rebuild(all, cursorOrdinal: cursorOrdinal, distance: max(0, end - cursor))
        return page.items.count
    }

    private var items: [HistoryPage.Item] {
        (log.first..<log.end).compactMap { number in
            // Gaps are found again, because events may have been added before them.
            if case .gap = log[number] { return nil }
            return HistoryPage.Item(ordinal: log.ordinal(of: number), entry: log[number])
        }
    }

    private mutating func rebuild(_ items: [HistoryPage.Item], cursorOrdinal: Int, distance: Int) {
        log = EventLog(capacity: nil, findsGaps: log.findsGaps)
        for item in items {
            switch item.entry {
            case .event(let event): log.add(event, ordinal: item.ordinal)
            case .skipped(let count): log.addSkipped(count, ordinal: item.ordinal)
            case .gap: break
            }
        }
        cursor = min(log.number(ofOrdinal: cursorOrdinal), max(0, log.end - 1))
        end = min(cursor + distance, log.end)
    }
}
