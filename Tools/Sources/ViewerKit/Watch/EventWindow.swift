import TelemetryModels

/// The events that a paused view shows. New events do not change it, and it can be moved over the stored events.
struct EventWindow: Sendable {
    /// The maximum number of events; the window moves when more are added.
    static let capacity = 10_000

    private(set) var log: EventLog
    /// The ordinals of the events that were loaded, whether or not they are kept.
    private(set) var range: Range<Int>
    /// Whether only events that matched the filter were kept.
    private(set) var isSparse = false
    /// Whether the store has no older events.
    private(set) var isOldest = false
    /// Whether the log is no longer a copy of the view's log, with other numbers.
    private(set) var isRebuilt = false
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
    init(_ page: HistoryPage, cursorOrdinal: Int) {
        log = EventLog(capacity: nil)
        range = page.range
        cursor = 0
        end = 0
        isRebuilt = true
        rebuild(page.items, cursorOrdinal: cursorOrdinal, distance: 0)
    }

    /// Adds the page before or after the window's events, and removes events from the other end.
    /// - Parameter accepts: The filter, if there is one; the events that it rejects are not kept.
    /// - Returns: The number of events that were added, or nil if the page does not adjoin the window.
    mutating func add(_ page: HistoryPage, accepts: ((TelemetryEvent) -> Bool)?) -> Int? {
        let isOlder = page.range.upperBound == range.lowerBound
        guard isOlder || page.range.lowerBound == range.upperBound else { return nil }
        isOldest = isOldest || (isOlder && page.isOldest)
        var (new, kept) = (page.items, items)
        if let accepts {
            func isAccepted(_ item: HistoryPage.Item) -> Bool {
                if case .event(let event) = item.entry { accepts(event) } else { false }
            }
            new.removeAll { !isAccepted($0) }
            kept.removeAll { !isAccepted($0) }
            isSparse = true
        }
        var all = isOlder ? new + kept : kept + new
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
        return new.count
    }

    /// The ordinal of the entry with this number; nil for a number outside of the log.
    func ordinal(of number: Int) -> Int? { (log.first..<log.end).contains(number) ? log.ordinal(of: number) : nil }

    private var items: [HistoryPage.Item] {
        (log.first..<log.end).compactMap { number in
            // Gaps are found again, because events may have been added before them.
            if case .gap = log[number] { return nil }
            return HistoryPage.Item(ordinal: log.ordinal(of: number), entry: log[number])
        }
    }

    private mutating func rebuild(_ items: [HistoryPage.Item], cursorOrdinal: Int, distance: Int) {
        log = EventLog(capacity: nil)
        isRebuilt = true
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
