import TelemetryModels

/// The events of a view: the newest ones or, while it is paused, a window of the stored ones; the filter; the selected event.
struct EventBrowser: Sendable {
    enum Edge: Sendable { case oldest, newest }

    /// The newest events.
    private(set) var log = EventLog()
    /// What is shown while the view is paused; nil if it follows the newest events.
    private(set) var window: EventWindow?
    private(set) var selection = EventSelection()
    /// The number of entries that fit on the screen.
    var page = 10

    /// The log that is shown.
    var shown: EventLog { window?.log ?? log }
    var isPaused: Bool { window != nil }

    /// The index of the selected entry among the matching ones. While the view follows the newest events it is the last.
    var cursor: Int? {
        guard selection.count > 0 else { return nil }
        guard let window else { return selection.count - 1 }
        return min(selection.index(of: window.cursor), selection.count - 1)
    }

    /// The selected event with its ordinal; nil for none, and for a gap.
    var current: (ordinal: Int, event: TelemetryEvent)? {
        guard let cursor, case .event(let event) = entry(cursor) else { return nil }
        return (shown.ordinal(of: selection[cursor]), event)
    }

    func entry(_ index: Int) -> EventLog.Entry { shown[selection[index]] }

    func ordinal(_ index: Int) -> Int { shown.ordinal(of: selection[index]) }

    /// The indices of the entries on a screen of this size; the selected entry is always among them.
    func visible(_ size: Int) -> Range<Int> {
        let count = selection.count
        guard let cursor else { return 0..<0 }
        var end = window.map { selection.index(of: $0.end) } ?? count
        end = min(max(end, min(size, count), cursor + 1), min(count, cursor + size))
        return max(0, end - size)..<end
    }

    mutating func add(_ events: [TelemetryEvent], skipped: Int) {
        log.addSkipped(skipped)
        for event in events { log.add(event) }
        if window == nil { selection.update(from: log) }
    }

    // MARK: Filter

    /// Changes the filter. The selected event stays selected if it matches.
    mutating func choose(_ filter: EventViewFilter) {
        selection.choose(filter)
        selection.update(from: shown)
    }

    // MARK: Pause

    mutating func pause() {
        guard window == nil else { return }
        window = EventWindow(copyOf: log, cursor: cursor.map { selection[$0] } ?? max(log.first, log.end - 1))
    }

    /// Shows the newest events, and follows them.
    mutating func resume() {
        let isRebuilt = window?.isRebuilt ?? false
        window = nil
        if isRebuilt { selection.restart() }
        selection.update(from: log)
    }

    // MARK: Movement

    /// Selects the entry this many entries further on. Returns the edge if the first or last entry is already selected.
    mutating func move(by step: Int) -> Edge? {
        guard let cursor else { return step < 0 ? .oldest : .newest }
        let target = min(max(cursor + step, 0), selection.count - 1)
        guard target != cursor else { return step < 0 ? .oldest : .newest }
        select(target)
        return nil
    }

    /// Scrolls by this many entries; the selection moves along. Returns the edge if there is nothing to scroll.
    mutating func scroll(by step: Int) -> Edge? {
        guard let cursor else { return step < 0 ? .oldest : .newest }
        let range = visible(page)
        let end = min(max(range.upperBound + step, min(page, selection.count)), selection.count)
        let target = min(max(cursor + step, max(0, end - page)), end - 1)
        guard end != range.upperBound || target != cursor else { return step < 0 ? .oldest : .newest }
        pause()
        window?.cursor = selection[target]
        window?.end = selection[end - 1] + 1
        return nil
    }

    /// Selects the entry with this index, and scrolls if it is not visible.
    mutating func select(_ index: Int, isCentred: Bool = false) {
        let range = visible(page)
        pause()
        window?.cursor = selection[index]
        var end = range.upperBound
        if !range.contains(index) {
            if isCentred {
                end = index + page / 2 + 1
            } else {
                end = index < range.lowerBound ? index + page : index + 1
            }
        }
        end = min(max(end, min(page, selection.count)), selection.count)
        window?.end = selection[end - 1] + 1
    }

    /// Selects the event with this ordinal. Returns whether it is loaded and matches the filter.
    mutating func select(ordinal: Int) -> Bool {
        let log = shown
        let index = selection.index(of: log.number(ofOrdinal: ordinal))
        guard index < selection.count, self.ordinal(index) == ordinal, entry(index).isEvent else { return false }
        select(index, isCentred: true)
        return true
    }

    /// Selects the next or previous event that matches.
    mutating func find(_ pattern: EventPattern, forward: Bool, from start: Int? = nil) -> EventPattern.Outcome {
        guard let start = start ?? cursor.map({ $0 + (forward ? 1 : -1) }) else { return .noMatch }
        var budget = SearchBudget.view
        for index in stride(from: start, to: forward ? selection.count : -1, by: forward ? 1 : -1) {
            guard case .event(let event) = entry(index) else { continue }
            switch budget.outcome(of: pattern, for: event) {
            case .match:
                select(index, isCentred: true)
                return .match
            case .noMatch: break
            case .tooSlow: break
            }
            guard !budget.isExhausted else { return .tooSlow }
        }
        return .noMatch
    }

    // MARK: History

    /// Whether an event with this ordinal is loaded, or was rejected by the filter when its page was loaded.
    func isLoaded(_ ordinal: Int) -> Bool {
        window.map { $0.range.contains(ordinal) } ?? (log.firstOrdinal..<max(log.firstOrdinal, log.total)).contains(ordinal)
    }

    /// Adds a page to the window. Returns the number of events that match the filter; nil if the page no longer adjoins.
    mutating func add(_ page: HistoryPage) -> Int? {
        guard var moved = window else { return nil }
        var filter = selection
        guard let count = moved.add(page, accepts: selection.filter.isNarrow ? { filter.accepts($0) } : nil) else { return nil }
        // Keeps the time that the filter's search has used.
        selection = filter
        replace(with: moved)
        return count
    }

    /// Shows another part of the store.
    mutating func show(_ page: HistoryPage, around ordinal: Int) {
        guard window != nil, !page.isEmpty else { return }
        replace(with: EventWindow(page, cursorOrdinal: ordinal))
    }

    private mutating func replace(with window: EventWindow) {
        self.window = window
        selection.restart()
        selection.update(from: window.log)
    }
}
