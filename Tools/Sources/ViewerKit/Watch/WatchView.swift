import Foundation
import TelemetryModels

/// Draws a model: a pure function from the model and the size of the screen to lines.
public struct WatchView {
    private static let minimumColumns = 40
    private static let minimumRows = 10

    let style: Style
    let time: TimeText

    public init(style: Style, time: TimeText = TimeText()) {
        self.style = style
        self.time = time
    }

    /// As many lines as the screen has rows, each as wide as it has columns.
    public func lines(_ model: inout WatchModel, columns: Int, rows: Int) -> [String] {
        guard columns >= Self.minimumColumns, rows >= Self.minimumRows else {
            let text = ScreenLine("The window is too small; the minimum is \(Self.minimumColumns) × \(Self.minimumRows).")
            return [text.rendered(width: columns, style: style)]
                + Array(repeating: String(repeating: " ", count: columns), count: max(0, rows - 1))
        }
        let panelRows = min(max(3, rows / 3 - 1), max(3, max(model.clients.count, model.scenarios.count)))
        model.page = rows - panelRows - 4
        var lines = [header(model, columns).rendered(width: columns, style: style)]
        if model.pager != nil {
            lines += pagerLines(&model, columns: columns, rows: rows - 2)
        } else {
            lines += panes(model, columns: columns, rows: panelRows)
            let (title, body) = events(model, columns)
            lines.append(title.rendered(width: columns, style: style))
            for row in 0..<model.page {
                lines.append((row < body.count ? body[row] : ScreenLine()).rendered(width: columns, style: style))
            }
        }
        lines.append(footer(model, columns).rendered(width: columns, style: style))
        return lines
    }

    private func header(_ model: WatchModel, _ columns: Int) -> ScreenLine {
        var counts = ScreenLine("\(counted(model.clients.count, "client")) · \(counted(model.log.total, "event"))")
        let rate = Self.rate(model.rates.rate(of: "", at: model.now))
        if !rate.isEmpty {
            counts.add(" · \(rate)", .cyan)
            if columns >= 60 { counts.add(" (\(RateWindow.meanSeconds) s mean)", .dim) }
        }
        if model.log.missing > 0 { counts.add(" · \(model.log.missing.grouped) missing", .red) }
        if model.log.dropped > 0 { counts.add(" · \(model.log.dropped.grouped) dropped", .red) }
        var line = ScreenLine(columns < 60 ? " " : " telemetry ", columns < 60 ? .plain : .inverse)
        let room = columns - counts.width - line.width - 3
        if columns >= 60 || room >= 4 { line.add(" \(model.store.visible.fittedPath(to: max(8, room)))  ", .dim) }
        line.append(counts)
        return line
    }

    func title(_ text: String, _ isActive: Bool) -> ScreenLine {
        var line = ScreenLine("─ ", .dim)
        line.add(text, isActive ? .bold : .dim)
        line.add(" ")
        line.fill(with: "─")
        return line
    }

    /// The help or an event's details, with a title.
    private func pagerLines(_ model: inout WatchModel, columns: Int, rows: Int) -> [String] {
        model.pager?.fit(columns: columns, rows: rows - 1, time: time)
        guard let pager = model.pager else { return [] }
        var text =
            switch pager.content {
            case .help: "KEYS"
            case .event(let detail): "EVENT \(detail.event.name.shortened.visible.fitted(to: max(8, columns - 30)))"
            }
        if case .event = pager.content, let ordinal = model.browser.current?.ordinal, model.bookmarks.contains(ordinal) {
            text += " ◆"
        }
        if pager.lines.count > pager.page {
            text += " · lines \(pager.offset + 1)–\(pager.offset + pager.visible.count) of \(pager.lines.count.grouped)"
        }
        let isEvent = if case .event = pager.content { true } else { false }
        var highlighter = isEvent ? (model.found ?? model.filter).map(SearchHighlighter.init) : nil
        var lines = [title(text, true).rendered(width: columns, style: style)]
        for row in 0..<rows - 1 {
            let index = pager.visible.startIndex + row
            var line = index < pager.visible.endIndex ? pager.visible[index] : ScreenLine()
            if highlighter != nil { line = line.marking { highlighter?.ranges(in: $0) ?? [] } }
            lines.append(line.rendered(width: columns, style: style))
        }
        return lines
    }

    private func footer(_ model: WatchModel, _ columns: Int) -> ScreenLine {
        if let client = model.ending {
            let name = model.label(of: client)
            guard columns >= 70 else {
                var line = ScreenLine(" End and delete \(name.visible.fitted(to: max(4, columns - 28)))? ", .red)
                line.add("y", .bold)
                line.add(" confirms", .dim)
                return line
            }
            var line = ScreenLine(" End the telemetry of \(name.visible.fitted(to: max(4, columns - 73)))?", .red)
            line.add(" This deletes all its data.  ")
            line.add("y", .bold)
            line.add(": yes, other keys: no", .dim)
            return line
        }
        if let prompt = model.prompt { return Self.footer(of: prompt, columns) }
        if !model.message.isEmpty { return ScreenLine(" \(model.message)", .yellow) }
        // The help shows the keys that do not fit.
        switch model.pager?.content {
        case .help: return keys([], always: [("↑↓ PgUp PgDn", "scroll"), ("any key", "returns")], columns)
        case .event:
            return keys(
                [("↑↓", "scroll"), ("←→", "event"), ("y", "copy"), ("Y", "JSON"), ("n N", "match"), ("m", "bookmark")],
                always: [("Esc", "back")], columns)
        case nil:
            let items: [(String, String)] =
                switch model.pane {
                case .events:
                    [
                        ("Enter", "open"), ("/", "filter"), ("f", "find"), ("n N", "match"), ("m", "mark"), ("p", "pause"),
                        ("y", "copy"), ("s", "severity"),
                        ("< >", "sideways"), ("Tab", "pane"),
                    ]
                default:
                    [
                        ("Tab", "pane"), ("Space", "on/off"), ("a", "approve"), ("x", "end"), ("/", "filter"), ("p", "pause"),
                        ("c", "client"),
                    ]
                }
            return keys(items, always: [("?", "keys"), ("q", "quit")], columns)
        }
    }

    private static func footer(of prompt: WatchPrompt, _ columns: Int) -> ScreenLine {
        let kind = prompt.isExpression ? columns < 60 ? " regex" : " regular expression" : ""
        var line = ScreenLine(prompt.purpose == .filter ? " filter\(kind): " : " find\(kind): ", .bold)
        // A long text is cut at the start, because it is typed at the end.
        var text = prompt.text.visible
        while text.displayWidth > max(8, columns - line.width - 24) { text.removeFirst() }
        line.add(text + "▏")
        guard !prompt.isInvalid else {
            line.add(" not valid; Ctrl-R: text", .red)
            return line
        }
        let hint =
            prompt.purpose == .filter
            ? "type to filter · Enter keeps it · Esc clears it" : "type to find · Enter goes there · Esc cancels"
        line.add(
            prompt.text.isEmpty
                ? "  Ctrl-R: \(prompt.isExpression ? "text" : "regex") · \(hint)"
                : "  Ctrl-R: \(prompt.isExpression ? "text" : "regex")", .dim)
        return line
    }

    private func keys(_ items: [(String, String)], always: [(String, String)], _ columns: Int) -> ScreenLine {
        var items = items
        func width(_ items: [(String, String)]) -> Int { items.reduce(0) { $0 + $1.0.displayWidth + $1.1.displayWidth + 2 } }
        while width(items + always) > columns, !items.isEmpty { items.removeLast() }
        var line = ScreenLine()
        for (key, text) in items + always {
            line.add(" \(key)", .bold)
            line.add(" \(text)", .dim)
        }
        return line
    }

    static func rate(_ rate: Double) -> String {
        rate == 0 ? "" : rate < 10 ? "\((rate * 10).rounded() / 10)/s" : "\(Int(rate.rounded()).grouped)/s"
    }
}
