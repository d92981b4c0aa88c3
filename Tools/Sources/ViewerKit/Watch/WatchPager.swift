import TelemetryModels

/// Lines that fill the screen and can be scrolled: the help, or an event's details.
struct WatchPager: Sendable {
    enum Content: Sendable {
        case help
        case event(EventDetail)
    }

    let content: Content
    /// The index of the first line on the screen.
    var offset = 0
    /// The lines for a width, kept so that they are not formatted whenever the screen is drawn.
    private(set) var lines: [ScreenLine] = []
    private var width = 0
    /// The number of lines that fit on the screen.
    private(set) var page = 10

    init(_ content: Content) { self.content = content }

    /// Formats the lines if the width changed.
    mutating func fit(columns: Int, rows: Int, time: TimeText) {
        page = max(1, rows)
        if columns != width || lines.isEmpty {
            width = columns
            lines =
                switch content {
                case .help: WatchHelp.lines(width: columns)
                case .event(let detail): detail.lines(width: columns, time: time)
                }
        }
        scroll(by: 0)
    }

    var visible: ArraySlice<ScreenLine> { lines.dropFirst(offset).prefix(page) }

    mutating func scroll(by step: Int) { offset = min(max(0, offset + step), max(0, lines.count - page)) }

    /// Scrolls as the key says. Returns false for a key that does not scroll.
    mutating func scroll(_ key: Key) -> Bool {
        switch key {
        case .up, .character("k"): scroll(by: -1)
        case .down, .character("j"): scroll(by: 1)
        case .wheelUp: scroll(by: -3)
        case .wheelDown: scroll(by: 3)
        case .pageUp, .character("b"): scroll(by: -max(1, page - 1))
        case .pageDown, .character(" "): scroll(by: max(1, page - 1))
        case .home, .character("g"): offset = 0
        case .end, .character("G"): scroll(by: lines.count)
        default: return false
        }
        return true
    }
}

extension WatchModel {
    /// Shows the details of the selected event.
    mutating func openEvent() {
        guard let current = browser.current else {
            if browser.cursor != nil { message = "This line is not an event." }
            return
        }
        browser.pause()
        pager = WatchPager(.event(detail(of: current.event)))
    }

    func detail(of event: TelemetryEvent) -> EventDetail { EventDetail(event, aliases: aliases) }

    /// Updates the details after another event was selected.
    mutating func showCurrentEvent() {
        guard case .event(let detail)? = pager?.content, let current = browser.current,
            current.event.eventId != detail.event.eventId
        else { return }
        pager = WatchPager(.event(self.detail(of: current.event)))
    }

    /// Handles a key while the help or an event is shown.
    mutating func page(_ key: Key) -> Action {
        guard pager?.scroll(key) == false else { return .nothing }
        guard case .event(let detail)? = pager?.content else {
            pager = nil
            return .nothing
        }
        defer { showCurrentEvent() }
        switch key {
        case .escape, .enter, .backspace, .character("q"): pager = nil
        case .right: return moveToEvent(1)
        case .left: return moveToEvent(-1)
        case .character("n"): return found == nil ? moveToEvent(1) : find(forward: true)
        case .character("N"): return found == nil ? moveToEvent(-1) : find(forward: false)
        case .character("y"): return copy(detail.text(time: TimeText()))
        case .character("Y"): return copy(detail.json)
        case .character("m"): toggleBookmark()
        case .character("["): return goToBookmark(forward: false)
        case .character("]"), .character("'"): return goToBookmark(forward: true)
        default: break
        }
        return .nothing
    }

    /// Selects the next or previous event, without the lines for gaps.
    private mutating func moveToEvent(_ step: Int) -> Action {
        var action = move(by: step)
        while action == .nothing, reading == nil, let cursor = browser.cursor, !browser.entry(cursor).isEvent {
            let before = cursor
            action = move(by: step)
            if browser.cursor == before { break }
        }
        return action
    }

    /// Copies a text, and reports its size.
    func copying(_ text: String) -> (action: Action, message: String) {
        let sent = ClipboardSequence.sent(of: text)
        let size = "\(sent.utf8.count.grouped)\(sent.utf8.count < text.utf8.count ? " of \(text.utf8.count.grouped)" : "") bytes"
        return (.copy(sent), "Copied \(size) by OSC 52, if the terminal permits it.")
    }

    mutating func copy(_ text: String) -> Action {
        let (action, text) = copying(text)
        message = text
        return action
    }
}
