import TelemetryModels

/// Draws a model: a pure function from what is known and the size of the screen to lines.
public struct WatchView {
    private static let leastColumns = 40
    private static let leastRows = 10

    private let style: Style
    private let time: TimeText

    public init(style: Style, time: TimeText = TimeText()) {
        self.style = style
        self.time = time
    }

    /// As many lines as the screen has rows, each as wide as it has columns.
    public func lines(_ model: inout WatchModel, columns: Int, rows: Int) -> [String] {
        guard columns >= Self.leastColumns, rows >= Self.leastRows else {
            let text = ScreenLine("The window is too small: \(Self.leastColumns) × \(Self.leastRows) at least.")
            return [text.rendered(width: columns, style: style)]
                + Array(repeating: String(repeating: " ", count: columns), count: max(0, rows - 1))
        }
        let panelRows = min(max(3, rows / 3 - 1), max(3, max(model.clients.count, model.scenarios.count)))
        let left = columns * 2 / 5
        let right = columns - left - 1
        model.page = rows - panelRows - 4
        var lines = [header(model).rendered(width: columns, style: style)]
        lines.append(
            title("CLIENTS", model.pane == .clients).rendered(width: left, style: style) + "┬"
                + title(scenarioTitle(model), model.pane == .scenarios).rendered(width: right, style: style))
        let clients = clientLines(model, rows: panelRows, width: left)
        let scenarios = scenarioLines(model, rows: panelRows, width: right)
        for row in 0..<panelRows {
            lines.append(
                clients[row].rendered(width: left, style: style) + style.dim("│")
                    + scenarios[row].rendered(width: right, style: style))
        }
        lines.append(title(eventTitle(model), model.pane == .events).rendered(width: columns, style: style))
        let entries = model.visibleEntries(model.page)
        for row in 0..<model.page {
            let line = row < entries.count ? entryLine(entries[row], columns) : ScreenLine()
            lines.append(line.rendered(width: columns, style: style))
        }
        lines.append(footer(model).rendered(width: columns, style: style))
        return lines
    }

    private func header(_ model: WatchModel) -> ScreenLine {
        var line = ScreenLine(" telemetry ", .inverse)
        line.add(" \(model.store)  ", .dim)
        line.add("\(counted(model.clients.count, "client")) · \(counted(model.log.total, "event"))")
        let rate = Self.rate(model.rates.rate(of: "", at: model.now))
        if !rate.isEmpty { line.add(" · \(rate)", .cyan) }
        if model.log.missing > 0 { line.add(" · \(model.log.missing.grouped) missing", .red) }
        return line
    }

    private func title(_ text: String, _ isActive: Bool) -> ScreenLine {
        var line = ScreenLine("─ ", .dim)
        line.add(text, isActive ? .bold : .dim)
        line.add(" ")
        line.fill(with: "─")
        return line
    }

    private func scenarioTitle(_ model: WatchModel) -> String {
        model.selectedClient.map { "SCENARIOS of \($0.visible.fitted(to: 24))" } ?? "SCENARIOS"
    }

    private func eventTitle(_ model: WatchModel) -> String {
        var parts = ["EVENTS"]
        if model.frozen != nil { parts.append("[standing still: End goes on]") }
        if model.onlyClient { parts.append("[of the selected client]") }
        if model.isTyping || !model.search.isEmpty { parts.append("filter: \(model.search.visible)\(model.isTyping ? "▏" : "")") }
        return parts.joined(separator: " ")
    }

    private func clientLines(_ model: WatchModel, rows: Int, width: Int) -> [ScreenLine] {
        guard !model.clients.isEmpty else { return padded([ScreenLine(" No client has asked yet.", .dim)], to: rows) }
        let selected = model.clients.firstIndex { $0.clientId == model.selectedClient } ?? 0
        let shown = Self.window(model.clients, around: selected, rows)
        return padded(
            shown.map { client in
                var line = ScreenLine(client.clientId == model.selectedClient ? " ▸ " : "   ")
                line.add(client.clientId, .bold, column: min(16, max(4, width - 19)))
                if client.isEnabled {
                    let count = model.scenarioCount(of: client)
                    line.add(" \(count.on)/\(count.all) on ", .green)
                    line.add(Self.rate(model.rates.rate(of: WatchModel.key(client.clientId), at: model.now)), .cyan)
                } else {
                    line.add(" waits (a)", .yellow)
                }
                return line.selected(model.pane == .clients && client.clientId == model.selectedClient)
            }, to: rows)
    }

    private func scenarioLines(_ model: WatchModel, rows: Int, width: Int) -> [ScreenLine] {
        let all = model.scenarios
        guard !all.isEmpty else { return padded([ScreenLine(" None now.", .dim)], to: rows) }
        let selected = all.firstIndex { $0.scenarioName == model.selectedScenario } ?? 0
        return padded(
            Self.window(all, around: selected, rows).map { scenario in
                let key = WatchModel.key(scenario.clientId, scenario.scenarioName)
                var line = ScreenLine(scenario.scenarioName == model.selectedScenario ? " ▸ " : "   ")
                line.add(scenario.scenarioName, .tinted, column: min(24, max(8, width - 28)))
                line.add(scenario.isEnabled ? " on  " : " off ", scenario.isEnabled ? .green : .dim)
                let rate = Self.rate(model.rates.rate(of: key, at: model.now))
                if !rate.isEmpty {
                    let room = min(30, width - line.width - 8)
                    if room > 3 { line.add(BarChart.spark(model.rates.last(room, of: key, at: model.now)), .cyan) }
                    line.add(" \(rate)", .dim)
                }
                return line.selected(model.pane == .scenarios && scenario.scenarioName == model.selectedScenario)
            }, to: rows)
    }

    private func entryLine(_ entry: EventLog.Entry, _ columns: Int) -> ScreenLine {
        switch entry {
        case .gap(let count, let session):
            return ScreenLine("⋯ \(counted(count, "event")) missing in session \(session.fitted(to: 12))", .red)
        case .missed(let count):
            return ScreenLine("⋯ \(counted(count, "event")) no longer stored", .red)
        case .event(let event):
            var line = ScreenLine(time.time(event.timestamp), .dim)
            if columns >= 110 { line.add("  \((event.clientId ?? "–").fitted(to: 12))".padded(to: 14), .dim) }
            line.add("  ")
            line.add(event.scenario ?? "–", event.scenario == nil ? .dim : .tinted, column: 14)
            line.add(event.level == .diagnostic ? " · " : "   ", .yellow)
            line.add(event.name, event.reportedDrops > 0 ? .red : .bold)
            line.add("  ")
            line.add((event.property1 ?? "").visible.fittedPath(to: max(8, columns - line.width)))
            line.add("  \(event.attributes.plain)", .dim)
            return line
        }
    }

    private func footer(_ model: WatchModel) -> ScreenLine {
        if model.isTyping { return ScreenLine(" type to filter · Enter keeps it · Esc drops it", .dim) }
        var line = ScreenLine()
        for (key, what) in [
            ("Tab", "pane"), ("↑↓", "move"), ("Space", "on/off"), ("a", "approve"), ("/", "filter"), ("p", "pause"),
            ("c", "client"), ("q", "quit"),
        ] {
            line.add(" \(key)", .bold)
            line.add(" \(what)", .dim)
        }
        if !model.message.isEmpty { line = ScreenLine(" \(model.message)", .yellow) }
        return line
    }

    private func padded(_ lines: [ScreenLine], to rows: Int) -> [ScreenLine] {
        lines + Array(repeating: ScreenLine(), count: max(0, rows - lines.count))
    }

    /// As many elements as there are rows, the selected one among them.
    private static func window<T>(_ all: [T], around selected: Int, _ rows: Int) -> [T] {
        let start = min(max(0, selected - rows + 1), max(0, all.count - rows))
        return Array(all[start..<min(all.count, start + rows)])
    }

    private static func rate(_ rate: Double) -> String {
        rate == 0 ? "" : rate < 10 ? "\((rate * 10).rounded() / 10)/s" : "\(Int(rate.rounded()).grouped)/s"
    }
}
