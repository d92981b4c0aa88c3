import TelemetryModels

/// The lower part of the screen: the events, or the help.
extension WatchView {
    func events(_ model: WatchModel, _ columns: Int) -> (title: ScreenLine, lines: [ScreenLine]) {
        let entries = model.visibleEntries(model.page)
        var lines = entries.map { line(of: $0, columns) }
        if lines.isEmpty { lines = [ScreenLine(" \(emptiness(model))", .dim)] }
        return (title(eventTitle(model), model.pane == .events), lines)
    }

    func help(_ rows: Int) -> (title: ScreenLine, lines: [ScreenLine]) {
        let lines = WatchModel.help.map { key, what in
            var line = ScreenLine(" ")
            line.add(key, .bold, column: 20)
            line.add(what)
            return line
        }
        return (title("KEYS, press any key to return", true), lines)
    }

    private func eventTitle(_ model: WatchModel) -> String {
        var parts = ["EVENTS"]
        if !model.isCaughtUp, model.log.total > 0 { parts.append("[reading stored events …]") }
        if model.isPaused {
            parts.append(
                model.newer > 0 ? "[paused, \(model.newer.grouped) newer: End resumes]" : "[paused: End resumes]")
        }
        if model.onlyClient { parts.append("[selected client only]") }
        if model.isTyping || !model.search.isEmpty { parts.append("filter: \(model.search.visible)\(model.isTyping ? "▏" : "")") }
        return parts.joined(separator: " ")
    }

    /// The reason why no event is shown.
    private func emptiness(_ model: WatchModel) -> String {
        if model.log.total > 0 { return "No event matches the filter; Esc clears it." }
        if !model.isCaughtUp { return "Reading stored events …" }
        if !model.clients.contains(where: \.isEnabled) { return "No events. Press a to approve the selected client." }
        return "No events. Press Tab to go to the scenarios, then Space to enable one."
    }

    private func line(of entry: EventLog.Entry, _ columns: Int) -> ScreenLine {
        switch entry {
        case .gap(let count, let session, let client):
            return ScreenLine("⋯ \(counted(count, "event")) missing: \(client ?? "–"), session \(session.fitted(to: 12))", .red)
        case .skipped(let count):
            return ScreenLine("⋯ \(counted(count, "event")) no longer stored", .red)
        case .event(let event) where event.reportedDrops > 0:
            let count = counted(Int(clamping: event.reportedDrops), "event")
            return ScreenLine("⋯ \(count) dropped by the logger of \(event.clientId ?? "–"): \(event.attributes.plain)", .red)
        case .event(let event): return line(of: event, columns)
        }
    }

    private func line(of event: TelemetryEvent, _ columns: Int) -> ScreenLine {
        var line = ScreenLine(time.time(event.timestamp), .dim)
        if columns >= 110 { line.add("  \((event.clientId ?? "–").shortened.visible.fitted(to: 12))".padded(to: 14), .dim) }
        line.add("  ")
        line.add(event.scenario ?? "–", event.scenario == nil ? .dim : .tinted, column: columns >= 110 ? 20 : 16)
        line.add(event.level == .diagnostic ? " · " : "   ", .yellow)
        let name = event.name.shortened.visible.fitted(to: 24)
        if columns >= 110 { line.add(name, .bold, column: 20) } else { line.add(name, .bold) }
        let attributes = event.attributes.plain.shortened
        let text = (event.property1 ?? "").shortened.visible
        if !text.isEmpty {
            line.add("  ")
            // On a wide screen a long text is cut to leave room for the attributes.
            let room = max(8, columns - line.width)
            let share = columns >= 110 ? max(room * 3 / 4, room - attributes.displayWidth - 2) : room
            line.add(text.fittedPath(to: attributes.isEmpty ? room : share))
        }
        if !attributes.isEmpty, columns - line.width >= 8 { line.add("  \(attributes)", .dim) }
        return line
    }
}
