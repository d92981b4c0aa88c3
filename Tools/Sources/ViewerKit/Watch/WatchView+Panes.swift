import Foundation
import TelemetryModels

/// The upper part of the screen: the clients and the scenarios.
extension WatchView {
    /// The titles, and this many rows.
    func panes(_ model: WatchModel, columns: Int, rows: Int) -> [String] {
        let left = columns * 2 / 5
        let right = columns - left - 1
        let clients = clientLines(model, rows: rows, width: left)
        let scenarios = scenarioLines(model, rows: rows, width: right)
        let titles =
            title("CLIENTS", model.pane == .clients).rendered(width: left, style: style) + style.dim("┬")
            + title(scenarioTitle(model, right), model.pane == .scenarios).rendered(width: right, style: style)
        return [titles]
            + (0..<rows).map { row in
                clients[row].rendered(width: left, style: style) + style.dim("│")
                    + scenarios[row].rendered(width: right, style: style)
            }
    }

    private func scenarioTitle(_ model: WatchModel, _ width: Int) -> String {
        model.selectedClient.map { "SCENARIOS of \(model.label(of: $0).visible.fitted(to: max(4, width - 16)))" } ?? "SCENARIOS"
    }

    private func clientLines(_ model: WatchModel, rows: Int, width: Int) -> [ScreenLine] {
        guard !model.clients.isEmpty else { return [ScreenLine(" No clients yet.", .dim)].rows(rows) }
        let selected = model.clients.firstIndex { $0.clientId == model.selectedClient } ?? 0
        let shown = Self.window(model.clients, around: selected, rows)
        let widest = shown.reduce(0) { max($0, model.label(of: $1.clientId).shortened.visible.displayWidth) }
        let idWidth = min(max(10, widest), max(4, width - 19))
        let names = ShortNames(model.clients.map(\.clientId), width: idWidth, aliases: model.aliases)
        return shown.map { client in
            var line = ScreenLine(client.clientId == model.selectedClient ? " ▸ " : "   ")
            let name = names.name(client.clientId)
            line.add(name, .tintedBy(client.clientId))
            line.add(String(repeating: " ", count: max(0, idWidth - name.displayWidth)))
            if client.isEnabled {
                let count = model.scenarioCount(of: client)
                line.add(" \(count.on)/\(count.all) on ", .green)
                let rate = Self.rate(model.rates.rate(of: WatchModel.key(client.clientId), at: model.now))
                if rate.isEmpty, let last = model.lastSeen(of: client) {
                    line.add(Self.ago(model.now.timeIntervalSince(last)), .dim)
                } else {
                    line.add(rate, .cyan)
                }
            } else {
                line.add(" pending (a)", .yellow)
            }
            return line.selected(model.pane == .clients && client.clientId == model.selectedClient)
        }.rows(rows)
    }

    private func scenarioLines(_ model: WatchModel, rows: Int, width: Int) -> [ScreenLine] {
        let all = model.scenarios
        guard !all.isEmpty else {
            let why = model.client == nil ? "No scenarios." : "No scenarios: its session is not running."
            return [ScreenLine(" \(why)", .dim)].rows(rows)
        }
        let selected = all.firstIndex { $0.scenarioName == model.selectedScenario } ?? 0
        let shown = Self.window(all, around: selected, rows)
        let nameWidth = min(
            max(8, shown.reduce(0) { max($0, $1.scenarioName.shortened.visible.displayWidth) }), max(8, width - 28))
        let columns = ScenarioColumns(shown, room: width - nameWidth - 17, now: model.now)
        return shown.map { scenario in
            let key = WatchModel.key(scenario.clientId, scenario.scenarioName)
            var line = ScreenLine(scenario.scenarioName == model.selectedScenario ? " ▸ " : "   ")
            line.add(scenario.scenarioName, .tinted, column: nameWidth)
            line.add(scenario.isEnabled ? " on  " : " off ", scenario.isEnabled ? .green : .dim)
            columns.add(scenario, to: &line)
            let room = min(60, width - line.width - 9)
            if room > 3 { line.add(BarChart.spark(model.rates.last(room, of: key, at: model.now)), .cyan) }
            line.add(" \(Self.rate(model.rates.rate(of: key, at: model.now)))", .dim)
            return line.selected(model.pane == .scenarios && scenario.scenarioName == model.selectedScenario)
        }.rows(rows)
    }

    /// As many elements as there are rows, including the selected one.
    private static func window<T>(_ all: [T], around selected: Int, _ rows: Int) -> [T] {
        let start = min(max(0, selected - rows + 1), max(0, all.count - rows))
        return Array(all[start..<min(all.count, start + rows)])
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
