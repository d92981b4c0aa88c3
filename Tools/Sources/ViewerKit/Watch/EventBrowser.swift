import TelemetryModels

/// The events of a view: the newest ones or, while it is paused, a window of the stored ones; the selected event.
struct EventBrowser: Sendable {
    enum Edge: Sendable { case oldest, newest }

    /// The newest events.
    private(set) var log: EventLog
    /// What is shown while the view is paused; nil if it follows the newest events.
    private(set) var window: EventWindow?
    /// The number of entries that fit on the screen.
    var page: Int

    /// - Parameter findsGaps: Whether missing sequence numbers are gaps; not if events are selected by what they contain.
    init(findsGaps: Bool = true, page: Int = 10) {
        log = EventLog(findsGaps: findsGaps)
        self.page = page
    }

    /// The log that is shown.
    var shown: EventLog { window?.log ?? log }
    var isPaused: Bool { window != nil }
    /// The number of entries.
    var count: Int { shown.end - shown.first }

    /// The index of the selected entry. While the view follows the newest events it is the last.
    var cursor: Int? {
        guard count > 0 else { return nil }
        guard let window else { return count - 1 }
        return min(max(0, window.cursor - shown.first), count - 1)
    }

    /// The selected event with its ordinal; nil for none, and for a gap.
    var current: (ordinal: Int, event: TelemetryEvent)? {
        guard let cursor, case .event(let event) = entry(cursor) else { return nil }
        return (shown.ordinal(of: shown.first + cursor), event)
    }

    func entry(_ index: Int) -> EventLog.Entry { shown[shown.first + index] }

    /// The indices of the entries on a screen of this size; the selected entry is always among them.
    func visible(_ size: Int) -> Range<Int> {
        guard let cursor else { return 0..<0 }
        var end = window.map { $0.end - shown.first } ?? count
        end = min(max(end, min(size, count), cursor + 1), min(count, cursor + size))
        return max(0, end - size)..<end
    }

    mutating func add(_ events: [TelemetryEvent], skipped: Int) {
        log.addSkipped(skipped)
        for event in events { log.add(event) }
    }

    // MARK: Pause

    mutating func pause() {
        guard window == nil else { return }
        window = EventWindow(copyOf: log, cursor: max(log.first, log.end - 1))
    }

    /// Shows the newest events, and follows them.
    mutating func resume() { window = nil }

    // MARK: Movement

    /// Selects the entry this many entries further on. Returns the edge if the first or last entry is already selected.
    mutating func move(by step: Int) -> Edge? {
        guard let cursor else { return step < 0 ? .oldest : .newest }
        let target = min(max(cursor + step, 0), count - 1)
        guard target != cursor else { return step < 0 ? .oldest : .newest }
        select(target)
        return nil
    }

    /// Scrolls by this many entries; the selection moves along. Returns the edge if there is nothing to scroll.
    mutating func scroll(by step: Int) -> Edge? {
        guard let cursor else { return step < 0 ? .oldest : .newest }
        let range = visible(page)
        let end = min(max(range.upperBound + step, min(page, count)), count)
        let target = min(max(cursor + step, max(0, end - page)), end - 1)
        guard end != range.upperBound || target != cursor else { return step < 0 ? .oldest : .newest }
        pause()
        place(target, end: end)
        return nil
    }

    /// Selects the entry with this index, and scrolls if it is not visible.
    mutating func select(_ index: Int, isCentred: Bool = false) {
        let range = visible(page)
        pause()
        var end = range.upperBound
        if !range.contains(index) {
            if isCentred {
                end = index + page / 2 + 1
            } else {
                end = index < range.lowerBound ? index + page : index + 1
            }
        }
        place(index, end: min(max(end, min(page, count)), count))
    }

    private mutating func place(_ index: Int, end: Int) {
        let first = shown.first
        window?.cursor = first + index
        window?.end = first + end
    }

    /// Selects an event. Returns whether it is loaded.
    mutating func select(eventId: String) -> Bool {
        select(stride(from: count - 1, to: -1, by: -1)) { $0.eventId == eventId }
    }

    /// Selects the next or previous event that matches. Returns whether there is one.
    mutating func find(_ query: TelemetryQuery, forward: Bool, from start: Int? = nil) -> Bool {
        guard let start = start ?? cursor.map({ $0 + (forward ? 1 : -1) }) else { return false }
        return select(stride(from: start, to: forward ? count : -1, by: forward ? 1 : -1)) { query.matches($0) }
    }

    private mutating func select(_ indices: StrideTo<Int>, where isWanted: (TelemetryEvent) -> Bool) -> Bool {
        let log = shown
        for index in indices {
            guard case .event(let event) = log[log.first + index], isWanted(event) else { continue }
            select(index, isCentred: true)
            return true
        }
        return false
    }

    // MARK: History

    /// Adds a page to the window. Returns the number of its events; nil if the page no longer adjoins.
    mutating func add(_ page: HistoryPage) -> Int? { window?.add(page) }

    /// Shows another part of the store.
    mutating func show(_ page: HistoryPage, around ordinal: Int) {
        guard window != nil, !page.isEmpty else { return }
        window = EventWindow(page, cursorOrdinal: ordinal, findsGaps: log.findsGaps)
    }
}
