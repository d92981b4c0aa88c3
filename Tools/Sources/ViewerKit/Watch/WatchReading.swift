import TelemetryModels

/// A request of stored events, and what happens when they arrive.
struct WatchReading: Sendable {
    enum Goal: Sendable {
        case none
        /// Move the selection by this many entries.
        case move(Int)
        /// Go to the next or previous match.
        case match(TelemetryQuery, forward: Bool)
        /// Select the event with this identifier.
        case select(String)
    }

    /// The maximum number of pages that one key reads in search of an event.
    static let maximumPages = 25

    let request: HistoryRequest
    let goal: Goal
    var pages = Self.maximumPages
}

/// Moves over the stored events.
extension WatchModel {
    /// Whether the answer to ``Action/read(_:)`` is expected.
    public var isReading: Bool { reading != nil }

    mutating func move(by step: Int) -> Action {
        switch browser.move(by: step) {
        case .oldest: readOlder(for: .move(step))
        case .newest: readNewer(for: .move(step))
        case nil: step < 0 ? readAhead() : .nothing
        }
    }

    mutating func scroll(by step: Int) -> Action {
        switch browser.scroll(by: step) {
        case .oldest: readOlder(for: .move(step))
        case .newest: readNewer(for: .move(step))
        case nil: step < 0 ? readAhead() : .nothing
        }
    }

    /// Goes to the oldest loaded event; from there, reads older ones.
    mutating func scrollToOldest() -> Action {
        if browser.cursor ?? 0 == 0 { return readOlder(for: .move(-page)) }
        browser.select(0)
        return readAhead()
    }

    /// Reads older events when the first loaded entry is on the screen.
    private mutating func readAhead() -> Action {
        guard reading == nil, browser.visible(page).lowerBound == 0, browser.window?.isOldest == false else { return .nothing }
        return readOlder(for: .none)
    }

    mutating func readOlder(for goal: WatchReading.Goal, pages: Int = WatchReading.maximumPages) -> Action {
        guard reading == nil, isCaughtUp else { return .nothing }
        browser.pause()
        guard let window = browser.window else { return .nothing }
        if window.isOldest {
            switch goal {
            case .none: break
            case .match: message = "No earlier match."
            case .select: message = Self.notFound
            case .move where browser.count == 0: break
            case .move: message = "This is the oldest stored event\(filter.isNarrow ? " that matches" : "")."
            }
            // No event is selected that new ones could move.
            if browser.count == 0 { browser.resume() }
            return .nothing
        }
        return read(.older(than: window.range.lowerBound), goal, pages)
    }

    /// Continues after the window's newest event; after the newest stored event, follows new ones.
    mutating func readNewer(for goal: WatchReading.Goal, pages: Int = WatchReading.maximumPages) -> Action {
        guard isCaughtUp else { return .nothing }
        let end = browser.window?.range.upperBound ?? log.total
        if end >= log.total {
            if case .match = goal {
                message = "No later match."
            } else if pager != nil {
                message = "This is the newest event."
            } else if isPaused {
                resume()
            }
            return .nothing
        }
        guard reading == nil else { return .nothing }
        let request = HistoryRequest.newer(from: end)
        guard let page = HistoryPage(from: end, of: log) else { return read(request, goal, pages) }
        reading = WatchReading(request: request, goal: goal, pages: pages)
        return receive(page, for: request)
    }

    private mutating func read(_ request: HistoryRequest, _ goal: WatchReading.Goal, _ pages: Int) -> Action {
        reading = WatchReading(request: request, goal: goal, pages: pages)
        return .read(request)
    }

    private static let notFound = "The event is not among those that were read."

    /// Selects an event that may have to be read from the store.
    mutating func select(_ event: TelemetryEvent, ordinal: Int? = nil) -> Action {
        guard reading == nil else { return .nothing }
        guard filter.accepts(event) else {
            message = "The filter hides the event; Esc clears the filter."
            return .nothing
        }
        if browser.select(eventId: event.eventId) { return .nothing }
        browser.pause()
        if let ordinal { return read(.around(ordinal), .select(event.eventId), 1) }
        // The event may be newer than the window.
        browser.resume()
        return browser.select(eventId: event.eventId) ? .nothing : readOlder(for: .select(event.eventId))
    }

    /// Receives the answer to ``Action/read(_:)``. Returns the next action.
    public mutating func receive(_ page: HistoryPage, for request: HistoryRequest) -> Action {
        guard let reading, reading.request == request else { return .nothing }
        self.reading = nil
        defer { showCurrentEvent() }
        let isOlder: Bool
        switch request {
        case .around(let ordinal):
            browser.show(page, around: ordinal)
            if case .select(let eventId) = reading.goal, !browser.select(eventId: eventId) { message = Self.notFound }
            return .nothing
        case .older: isOlder = true
        case .newer: isOlder = false
        }
        guard let count = browser.add(page) else { return .nothing }
        switch reading.goal {
        case .match(let query, let forward):
            if browser.find(query, forward: forward) { return .nothing }
            // The search continues from the last event that was searched.
            if browser.count > 0 { browser.select(forward ? browser.count - 1 : 0) }
        case .select(let eventId): if browser.select(eventId: eventId) { return .nothing }
        case .move(let step) where count > 0:
            _ = browser.move(by: step)
            return .nothing
        case .none where count > 0: return .nothing
        case .move, .none: break
        }
        guard reading.pages > 1 else {
            message =
                if case .select = reading.goal { Self.notFound } else { "No match so far; press the key again to continue." }
            return .nothing
        }
        if isOlder { return readOlder(for: reading.goal, pages: reading.pages - 1) }
        guard !page.isEmpty else { return .nothing }
        return readNewer(for: reading.goal, pages: reading.pages - 1)
    }

    /// Receives the failure of ``Action/read(_:)``.
    @discardableResult
    public mutating func receiveFailure(_ text: String, of request: HistoryRequest) -> Action {
        guard reading?.request == request else { return .nothing }
        reading = nil
        return show(text)
    }
}
