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
            return ["The window is too small.", "Minimum: \(Self.minimumColumns) × \(Self.minimumRows)."]
                .map { ScreenLine($0) }.rows(rows).map { $0.rendered(width: columns, style: style) }
        }
        let panelRows = min(max(3, rows / 3 - 1), max(3, max(model.clients.count, model.scenarios.count)))
        model.page = rows - panelRows - 4
        var lines = [header(model, columns).rendered(width: columns, style: style)]
        if let top = model.top {
            lines += ([title(top.title, true)] + top.lines(width: columns, rows: rows - 3, aliases: model.aliases)).rows(rows - 2)
                .map { $0.rendered(width: columns, style: style) }
        } else if model.pager != nil {
            lines += pagerLines(&model, columns: columns, rows: rows - 2)
        } else {
            lines += panes(model, columns: columns, rows: panelRows)
            let (title, body) = events(model, columns)
            lines.append(title.rendered(width: columns, style: style))
            for row in 0..<model.page {
                lines.append((row < body.count ? body[row] : ScreenLine()).rendered(width: columns, style: style))
            }
        }
        let last = model.prompt?.lines(width: columns) ?? [footer(model, columns)]
        return lines.dropLast(last.count - 1) + last.map { $0.rendered(width: columns, style: style) }
    }

    private func header(_ model: WatchModel, _ columns: Int) -> ScreenLine {
        var counts = ScreenLine("\(counted(model.clients.count, "client")) · \(counted(model.log.total, "event"))")
        let rate = Self.rate(model.rates.rate(of: "", at: model.now))
        if !rate.isEmpty {
            counts.add(" · \(rate)", .cyan)
            if columns >= 60 { counts.add(" (\(RateWindow.meanSeconds) s mean)", .dim) }
        }
        if model.missing > 0 { counts.add(" · \(model.missing.grouped) missing", .red) }
        if model.dropped > 0 { counts.add(" · \(model.dropped.grouped) dropped", .red) }
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
        if case .event = pager.content, let event = model.browser.current?.event, model.bookmarks.contains(event) {
            text += " ◆"
        }
        if pager.lines.count > pager.page {
            text += " · lines \(pager.offset + 1)–\(pager.offset + pager.visible.count) of \(pager.lines.count.grouped)"
        }
        let highlighter = pager.hasCursor ? SearchHighlighter(model.found ?? model.filter.conditions.query) : nil
        var lines = [title(text, true).rendered(width: columns, style: style)]
        for row in 0..<rows - 1 {
            let index = pager.visible.startIndex + row
            var line = index < pager.visible.endIndex ? pager.visible[index] : ScreenLine()
            if let highlighter { line = line.marking(highlighter.ranges).selected(index == pager.cursor) }
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
        if !model.message.isEmpty { return ScreenLine(" \(model.message)", .yellow) }
        // The help shows the keys that do not fit.
        if let top = model.top {
            let items =
                top.isChoosingField ? [("Enter", "counts its values")] : [("Enter", "adds to the filter"), ("-", "excludes")]
            return keys(items + [("↑↓", "choose")], always: [("Esc", "back")], columns)
        }
        switch model.pager?.content {
        case .help: return keys([], always: [("↑↓ PgUp PgDn", "scroll"), ("any key", "returns")], columns)
        case .event:
            return keys(
                [
                    ("↑↓", "line"), ("←→", "event"), ("y", "copy"), ("Y", "JSON"), ("t", "top values"), ("n N", "match"),
                    ("m", "bookmark"),
                ],
                always: [("Esc", "back")], columns)
        case nil:
            let items: [(String, String)] =
                switch model.pane {
                case .events:
                    [
                        ("Enter", "open"), ("/", "filter"), ("t", "top values"), ("f", "find"), ("n N", "match"), ("m", "mark"),
                        ("p", "pause"),
                        ("y", "copy"), ("s", "severity"), ("C", "crashes"),
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

extension [ScreenLine] {
    /// As many lines as there are rows.
    func rows(_ count: Int) -> [ScreenLine] {
        prefix(count) + Array(repeating: ScreenLine(), count: Swift.max(0, count - self.count))
    }
}
