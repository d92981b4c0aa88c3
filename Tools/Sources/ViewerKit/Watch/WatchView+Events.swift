import TelemetryModels
import TelemetryTransport

/// The lower part of the screen: the events.
extension WatchView {
    /// How an event's fields are arranged in a width.
    private struct Layout {
        let columns: Int
        /// The number of columns, including those that are scrolled out at the left.
        let room: Int
        let names: ShortNames
        let aliases: ClientAliases

        var isScrolled: Bool { room > columns }
        var isWide: Bool { columns >= 110 }
        var isNarrow: Bool { columns < 60 }
        var nameWidth: Int { Self.nameWidth(columns) }

        static func nameWidth(_ columns: Int) -> Int { columns >= 110 ? 12 : columns < 60 ? 6 : 10 }
    }

    func events(_ model: WatchModel, _ columns: Int) -> (title: ScreenLine, lines: [ScreenLine]) {
        let title = title(eventTitle(model), model.pane == .events)
        let range = model.browser.visible(model.page)
        guard !range.isEmpty else { return (title, [ScreenLine(" \(emptiness(model))", .dim)]) }
        let layout = Layout(
            columns: columns - 2, room: columns - 2 + model.sideways,
            names: ShortNames(model.clients.map(\.clientId), width: Layout.nameWidth(columns - 2), aliases: model.aliases),
            aliases: model.aliases)
        let cursor = model.isPaused || model.pane == .events ? model.browser.cursor : nil
        let highlighter = SearchHighlighter(model.found ?? model.filter.conditions.query)
        return (
            title,
            range.map { index in
                var line = ScreenLine(index == cursor ? "▸" : " ")
                let entry = model.browser.entry(index)
                let isMarked = if case .event(let event) = entry { model.bookmarks.contains(event) } else { false }
                line.add(isMarked ? "◆" : " ", .yellow)
                var body = self.line(of: entry, layout)
                if model.sideways > 0 { body = body.dropping(columns: model.sideways) }
                line.append(body.marking(highlighter.ranges))
                return line.selected(index == cursor && model.pane == .events)
            }
        )
    }

    private func eventTitle(_ model: WatchModel) -> String {
        var parts = ["EVENTS"]
        if let event = model.browser.current?.event, time.day(event.timestamp) != time.day(model.now), model.isPaused {
            parts[0] += " of \(time.day(event.timestamp))"
        }
        if model.filter.selects, let count = model.matching { parts.append("[\(count.grouped) match]") }
        for (name, query) in [
            ("where", model.filter.base.query), ("filter", model.filter.conditions.query), ("find", model.found),
        ] {
            guard let query, query != .all else { continue }
            parts.append("\(name): \(query.description.visible.fitted(to: 40))")
        }
        if let severity = model.severity { parts.append("[\(severity.rawValue) and above]") }
        if model.onlyClient { parts.append("[selected client only]") }
        if !model.isCaughtUp { parts.append("[reading stored events …]") }
        if model.reading != nil {
            parts.append("[reading older events …]")
        } else if model.isPaused {
            parts.append(
                model.newer > 0 ? "[paused, \(model.newer.grouped) newer: End resumes]" : "[paused: End resumes]")
        }
        if model.sideways > 0 { parts.append("[from column \(model.sideways + 1)]") }
        return parts.joined(separator: " ")
    }

    /// The reason why no event is shown.
    private func emptiness(_ model: WatchModel) -> String {
        if model.reading != nil { return "Reading older events …" }
        if !model.isCaughtUp { return "Reading stored events …" }
        if model.isUnread, model.browser.window?.isOldest != true { return "The stored events were not read; ↑ reads them." }
        if model.filter.isNarrow { return "No event matches the filter; Esc clears it." }
        if model.filter.selects { return "No event matches." }
        if model.clients.isEmpty { return "No events." }
        if !model.clients.contains(where: \.isEnabled) { return "No events. Press a to approve the selected client." }
        return "No events. Press Tab to go to the scenarios, then Space to enable one."
    }

    private func line(of entry: EventLog.Entry, _ layout: Layout) -> ScreenLine {
        switch entry {
        case .gap(let count, let session, let client):
            return ScreenLine(
                "⋯ \(counted(count, "event")) missing: \(client.map(layout.aliases.label) ?? "–"), session \(session.fitted(to: 12))",
                .red)
        case .skipped(let count):
            return ScreenLine("⋯ \(counted(count, "event")) no longer stored", .red)
        case .event(let event) where event.reportedDrops > 0:
            let count = counted(Int(clamping: event.reportedDrops), "event")
            return ScreenLine(
                "⋯ \(count) dropped by the logger of \(event.clientId.map(layout.aliases.label) ?? "–"): \(event.attributes.plain)",
                .red)
        case .event(let event):
            guard let end = SessionEnd(event) else { return line(of: event, layout) }
            var line = ScreenLine(end.row(time: time), .red)
            line.add("  \(event.clientId.map(layout.aliases.label) ?? "–")", event.clientId.map { .tintedBy($0) } ?? .dim)
            return line
        }
    }

    private func line(of event: TelemetryEvent, _ layout: Layout) -> ScreenLine {
        let stamp = time.time(event.timestamp)
        var line = ScreenLine(layout.isNarrow ? String(stamp.prefix(8)) : stamp, .dim)
        line.add(" ")
        let client = event.clientId.map(layout.names.name) ?? "–"
        line.add(client, event.clientId.map { .tintedBy($0) } ?? .dim)
        line.add(String(repeating: " ", count: max(1, layout.nameWidth + 1 - client.displayWidth)))
        if !layout.isNarrow {
            line.add(event.scenario ?? "–", event.scenario == nil ? .dim : .tinted, column: layout.isWide ? 20 : 14)
            line.add(" ")
        }
        let severity = SeverityMark(event)
        if let severity, severity.mark != " " {
            line.add(severity.mark, severity.look)
        } else {
            line.add(event.level == .diagnostic ? "·" : " ", .yellow)
        }
        line.add(" ")
        let name = event.name.shortened.visible.fitted(to: layout.isNarrow ? 14 : 24)
        let look = severity.map { $0.look == .plain ? .bold : $0.look } ?? .bold
        if layout.isWide { line.add(name, look, column: 20) } else { line.add(name, look) }
        let request = RequestSummary(event)
        let attributes = (request?.attributes ?? event.attributes).plain.shortened
        // On a wide screen a long text is cut to leave room for the attributes.
        let room = max(8, layout.room - line.width - 2)
        let share = layout.isWide ? max(room * 3 / 4, room - attributes.displayWidth - 2) : room
        let width = attributes.isEmpty ? room : share
        let requestText = request?.text(in: width - event.rowText("").displayWidth)
        let text = event.rowText(requestText ?? event.property1).shortened.visible
        if !text.isEmpty {
            line.add("  ")
            line.add(layout.isScrolled ? text.fitted(to: width) : text.fittedPath(to: width))
        }
        if !attributes.isEmpty, layout.room - line.width >= 8 { line.add("  \(attributes)", .dim) }
        return line
    }
}
