import Foundation
import TelemetryModels

/// Draws a model: a pure function from the model and the size of the screen to lines.
public struct WatchView {
    private static let minimumColumns = 40
    private static let minimumRows = 10

    private let style: Style
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
        let left = columns * 2 / 5
        let right = columns - left - 1
        model.page = rows - panelRows - 4
        var lines = [header(model, columns).rendered(width: columns, style: style)]
        lines.append(
            title("CLIENTS", model.pane == .clients).rendered(width: left, style: style) + style.dim("┬")
                + title(scenarioTitle(model, right), model.pane == .scenarios).rendered(width: right, style: style))
        let clients = clientLines(model, rows: panelRows, width: left)
        let scenarios = scenarioLines(model, rows: panelRows, width: right)
        for row in 0..<panelRows {
            lines.append(
                clients[row].rendered(width: left, style: style) + style.dim("│")
                    + scenarios[row].rendered(width: right, style: style))
        }
        let (title, body) = model.showsHelp ? help(model.page) : events(model, columns)
        lines.append(title.rendered(width: columns, style: style))
        for row in 0..<model.page {
            lines.append((row < body.count ? body[row] : ScreenLine()).rendered(width: columns, style: style))
        }
        lines.append(footer(model, columns).rendered(width: columns, style: style))
        return lines
    }

    private func header(_ model: WatchModel, _ columns: Int) -> ScreenLine {
        var counts = ScreenLine("\(counted(model.clients.count, "client")) · \(counted(model.log.total, "event"))")
        let rate = Self.rate(model.rates.rate(of: "", at: model.now))
        if !rate.isEmpty { counts.add(" · \(rate)", .cyan) }
        if model.log.missing > 0 { counts.add(" · \(model.log.missing.grouped) missing", .red) }
        if model.log.dropped > 0 { counts.add(" · \(model.log.dropped.grouped) dropped", .red) }
        var line = ScreenLine(" telemetry ", .inverse)
        line.add(" \(model.store.visible.fittedPath(to: max(8, columns - counts.width - line.width - 3)))  ", .dim)
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

    private func scenarioTitle(_ model: WatchModel, _ width: Int) -> String {
        model.selectedClient.map { "SCENARIOS of \($0.visible.fitted(to: max(4, width - 16)))" } ?? "SCENARIOS"
    }

    private func clientLines(_ model: WatchModel, rows: Int, width: Int) -> [ScreenLine] {
        guard !model.clients.isEmpty else { return padded([ScreenLine(" No clients yet.", .dim)], to: rows) }
        let selected = model.clients.firstIndex { $0.clientId == model.selectedClient } ?? 0
        let shown = Self.window(model.clients, around: selected, rows)
        let idWidth = min(max(10, shown.reduce(0) { max($0, $1.clientId.shortened.visible.displayWidth) }), max(4, width - 19))
        return padded(
            shown.map { client in
                var line = ScreenLine(client.clientId == model.selectedClient ? " ▸ " : "   ")
                line.add(client.clientId, .bold, column: idWidth)
                if client.isEnabled {
                    let count = model.scenarioCount(of: client)
                    line.add(" \(count.on)/\(count.all) on ", .green)
                    let rate = Self.rate(model.rates.rate(of: WatchModel.key(client.clientId), at: model.now))
                    if rate.isEmpty, let last = model.lastEvent(of: client) {
                        line.add(Self.ago(model.now.timeIntervalSince(last)), .dim)
                    } else {
                        line.add(rate, .cyan)
                    }
                } else {
                    line.add(" pending (a)", .yellow)
                }
                return line.selected(model.pane == .clients && client.clientId == model.selectedClient)
            }, to: rows)
    }

    private func scenarioLines(_ model: WatchModel, rows: Int, width: Int) -> [ScreenLine] {
        let all = model.scenarios
        guard !all.isEmpty else {
            let why = model.client == nil ? "No scenarios." : "No scenarios: its session is not running."
            return padded([ScreenLine(" \(why)", .dim)], to: rows)
        }
        let selected = all.firstIndex { $0.scenarioName == model.selectedScenario } ?? 0
        let shown = Self.window(all, around: selected, rows)
        let nameWidth = min(
            max(12, shown.reduce(0) { max($0, $1.scenarioName.shortened.visible.displayWidth) }), max(8, width - 28))
        return padded(
            shown.map { scenario in
                let key = WatchModel.key(scenario.clientId, scenario.scenarioName)
                var line = ScreenLine(scenario.scenarioName == model.selectedScenario ? " ▸ " : "   ")
                line.add(scenario.scenarioName, .tinted, column: nameWidth)
                line.add(scenario.isEnabled ? " on  " : " off ", scenario.isEnabled ? .green : .dim)
                let room = min(60, width - line.width - 9)
                if room > 3 { line.add(BarChart.spark(model.rates.last(room, of: key, at: model.now)), .cyan) }
                line.add(" \(Self.rate(model.rates.rate(of: key, at: model.now)))", .dim)
                return line.selected(model.pane == .scenarios && scenario.scenarioName == model.selectedScenario)
            }, to: rows)
    }

    private func footer(_ model: WatchModel, _ columns: Int) -> ScreenLine {
        if let client = model.ending {
            var line = ScreenLine(" End the telemetry of \(client.visible.fitted(to: max(4, columns - 56)))?", .red)
            line.add(" This deletes all its data.  ")
            line.add("y", .bold)
            line.add(" to confirm, any other key to cancel", .dim)
            return line
        }
        if model.isTyping { return ScreenLine(" type to filter · Enter keeps the filter · Esc clears it", .dim) }
        if !model.message.isEmpty { return ScreenLine(" \(model.message)", .yellow) }
        // The help shows the keys that do not fit.
        var items = [
            ("Tab", "pane"), ("Space", "on/off"), ("a", "approve"), ("x", "end"), ("/", "filter"), ("p", "pause"),
            ("c", "client"),
        ]
        let always = [("?", "keys"), ("q", "quit")]
        func width(_ items: [(String, String)]) -> Int { items.reduce(0) { $0 + $1.0.count + $1.1.count + 2 } }
        while width(items + always) > columns, !items.isEmpty { items.removeLast() }
        var line = ScreenLine()
        for (key, what) in items + always {
            line.add(" \(key)", .bold)
            line.add(" \(what)", .dim)
        }
        return line
    }

    private func padded(_ lines: [ScreenLine], to rows: Int) -> [ScreenLine] {
        lines + Array(repeating: ScreenLine(), count: max(0, rows - lines.count))
    }

    /// As many elements as there are rows, including the selected one.
    private static func window<T>(_ all: [T], around selected: Int, _ rows: Int) -> [T] {
        let start = min(max(0, selected - rows + 1), max(0, all.count - rows))
        return Array(all[start..<min(all.count, start + rows)])
    }

    private static func rate(_ rate: Double) -> String {
        rate == 0 ? "" : rate < 10 ? "\((rate * 10).rounded() / 10)/s" : "\(Int(rate.rounded()).grouped)/s"
    }

    /// `5s ago`, `12m ago`: short enough for a column.
    private static func ago(_ seconds: Double) -> String {
        switch max(0, seconds) {
        case ..<60: "\(Int(max(0, seconds)))s ago"
        case ..<3_600: "\(Int(seconds / 60))m ago"
        case ..<172_800: "\(Int(seconds / 3_600))h ago"
        default: "\(Int(seconds / 86_400))d ago"
        }
    }
}
