import TelemetryModels

/// Lines that fill the screen and can be scrolled: the help, or an event's details.
struct WatchPager: Sendable {
    enum Content: Sendable {
        case help
        case event(EventDetail)
    }

    let content: Content
    /// The index of the first line on the screen.
    private(set) var offset = 0
    /// The index of the selected line of an event's details; the help has none.
    private(set) var cursor = 0
    /// The lines for a width, kept so that they are not formatted whenever the screen is drawn.
    private(set) var lines: [ScreenLine] = []
    /// The fields that the lines show.
    private var fields: [EventField?] = []
    private var width = 0
    /// The number of lines that fit on the screen.
    private(set) var page = 10

    init(_ content: Content) {
        self.content = content
        // Keys may come before the screen is drawn, which then has its own width and time zone.
        fit(columns: 80, rows: page, time: TimeText())
        width = 0
    }

    /// Formats the lines if the width changed.
    mutating func fit(columns: Int, rows: Int, time: TimeText) {
        page = max(1, rows)
        if columns != width || lines.isEmpty {
            width = columns
            switch content {
            case .help: lines = WatchHelp.lines(width: columns)
            case .event(let detail):
                let shown = detail.lines(width: columns, time: time)
                (lines, fields) = (shown.map(\.line), shown.map(\.field))
            }
        }
        scroll(by: 0)
    }

    var visible: ArraySlice<ScreenLine> { lines.dropFirst(offset).prefix(page) }

    var hasCursor: Bool { if case .event = content { true } else { false } }

    /// The field of the selected line.
    var field: EventField? { fields.indices.contains(cursor) ? fields[cursor] : nil }

    /// Scrolls; the selection stays on the screen.
    mutating func scroll(by step: Int) {
        offset = min(max(0, offset + step), max(0, lines.count - page))
        cursor = min(max(cursor, offset), max(offset, min(offset + page, lines.count) - 1))
    }

    /// Selects another line, and scrolls if it is not visible.
    private mutating func move(by step: Int) {
        guard hasCursor else { return scroll(by: step) }
        cursor = min(max(0, cursor + step), max(0, lines.count - 1))
        offset = min(max(offset, cursor - page + 1), cursor)
    }

    /// Scrolls as the key says. Returns false for a key that does not scroll.
    mutating func scroll(_ key: Key) -> Bool {
        switch key {
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .wheelUp: scroll(by: -3)
        case .wheelDown: scroll(by: 3)
        case .pageUp, .character("b"): scroll(by: -max(1, page - 1))
        case .pageDown, .character(" "): scroll(by: max(1, page - 1))
        case .home, .character("g"): move(by: -lines.count)
        case .end, .character("G"): move(by: lines.count)
        default: return false
        }
        return true
    }
}
