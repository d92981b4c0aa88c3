public import TelemetryModels

/// Handles keys.
extension WatchModel {
    /// The action that the caller performs after a key.
    public enum Action: Sendable, Equatable {
        case nothing
        case quit
        /// Return to the shell until the process is resumed.
        case suspend
        case send(TelemetryCommandRecord)
        /// Read stored events, and pass them to ``receive(_:for:)``.
        case read(HistoryRequest)
        /// Copy a text to the clipboard.
        case copy(String)
        /// Read the newest events that match ``filter``, pass them to ``start(_:hasMore:)``, and follow new ones.
        case follow
        /// Ask the store, and pass the result to ``receive(_:for:)``.
        case top(TopRequest)
    }

    public mutating func press(_ key: Key) -> Action {
        switch key {
        case .interrupt: return .quit
        case .suspend: return .suspend
        default: break
        }
        if let client = ending { return confirm(key, client) }
        if prompt != nil { return type(key) }
        if top != nil { return chooseTop(key) }
        if pager != nil { return pressInPager(key) }
        return browse(key) ?? control(key)
    }

    /// Handles the keys of the events; nil for others.
    private mutating func browse(_ key: Key) -> Action? {
        switch key {
        case .pageUp, .pageDown, .home, .end, .wheelUp, .wheelDown: pane = .events
        default: break
        }
        switch key {
        case .pageUp: return scroll(by: -max(1, page - 1))
        case .pageDown: return scroll(by: max(1, page - 1))
        case .wheelUp: return scroll(by: -3)
        case .wheelDown: return scroll(by: 3)
        case .home: return scrollToOldest()
        case .end: resume()
        case .shiftLeft, .character("<"): sideways = max(0, sideways - 10)
        case .shiftRight, .character(">"): sideways = min(2_000, sideways + 10)
        case .character("/"): prompt = WatchPrompt(.filter, filter.conditions.query)
        case .character("t"): return openTop()
        case .character("f"): prompt = WatchPrompt(.find, found)
        case .character("n"): return find(forward: true)
        case .character("N"): return find(forward: false)
        case .character("m"): toggleBookmark()
        case .character("["): return goToBookmark(forward: false)
        case .character("]"), .character("'"): return goToBookmark(forward: true)
        case .character("y"): if let event = browser.current?.event { return copy(detail(of: event).text(time: TimeText())) }
        case .character("p"): if isPaused { resume() } else { browser.pause() }
        case .character("c"): return onlyClient ? showAllClients() : showOnlySelectedClient()
        case .character("s"): return chooseNextSeverity()
        case .character("C"): return showSessionEnds()
        case .escape: return clear()
        default: return nil
        }
        return .nothing
    }

    private mutating func control(_ key: Key) -> Action {
        switch key {
        case .character("q"): return .quit
        case .character("?"), .character("h"): pager = WatchPager(.help)
        case .tab, .right: move(pane: 1)
        case .backTab, .left: move(pane: -1)
        case .character("M"):
            usesMouse.toggle()
            message = usesMouse ? "The mouse wheel scrolls." : "The mouse selects text; M makes the wheel scroll again."
        case .character("a"): return approve()
        case .character("x"): ending = client?.clientId
        case .character(" "): return toggle()
        case .character("r"): return capture()
        case .enter: if pane == .events { openEvent() } else { move(pane: 1) }
        case .up, .character("k"): return moveInPane(by: -1)
        case .down, .character("j"): return moveInPane(by: 1)
        default: break
        }
        return .nothing
    }

    private mutating func confirm(_ key: Key, _ client: String) -> Action {
        // The wheel is no answer.
        guard key != .wheelUp, key != .wheelDown else { return .nothing }
        ending = nil
        guard [.character("y"), .character("Y")].contains(key) else {
            message = "Nothing changed."
            return .nothing
        }
        message = "Ending the telemetry of \(label(of: client)) …"
        return .send(TelemetryCommandRecord(clientId: client, action: .disable))
    }

    private mutating func move(pane step: Int) {
        let panes = Pane.allCases
        guard let index = panes.firstIndex(of: pane) else { return }
        pane = panes[(index + step + panes.count) % panes.count]
    }

    private mutating func moveInPane(by step: Int) -> Action {
        switch pane {
        case .clients:
            selectedClient = Self.neighbour(of: selectedClient, in: clients.map(\.clientId), step)
            selectedScenario = scenarios.first?.scenarioName
            return chooseClient()
        case .scenarios:
            selectedScenario = Self.neighbour(of: selectedScenario, in: scenarios.map(\.scenarioName), step)
            return .nothing
        case .events: return move(by: step)
        }
    }

    private static func neighbour(of name: String?, in names: [String], _ step: Int) -> String? {
        guard let name, let index = names.firstIndex(of: name) else { return names.first }
        return names[min(max(index + step, 0), names.count - 1)]
    }

    private mutating func approve() -> Action {
        guard let client else { return .nothing }
        guard !client.isEnabled else {
            message = "\(label(of: client.clientId)) is already approved."
            return .nothing
        }
        message = "Approving \(label(of: client.clientId)) …"
        return .send(TelemetryCommandRecord(clientId: client.clientId, action: .enable))
    }

    /// Requests what the client's flight recorder has kept of the selected scenario.
    private mutating func capture() -> Action {
        guard let scenario else {
            message = "The selected client has no scenarios."
            return .nothing
        }
        message = "Requesting the last events of \(scenario.scenarioName) …"
        return .send(
            TelemetryCommandRecord(
                clientId: scenario.clientId, action: .captureScenario, scenarioName: scenario.scenarioName))
    }

    private mutating func toggle() -> Action {
        guard pane == .scenarios, let scenario else {
            if pane == .clients { pane = .scenarios }
            return .nothing
        }
        message = "\(scenario.isEnabled ? "Disabling" : "Enabling") \(scenario.scenarioName) …"
        return .send(
            TelemetryCommandRecord(
                clientId: scenario.clientId, action: scenario.isEnabled ? .disableScenario : .enableScenario,
                scenarioName: scenario.scenarioName))
    }
}

/// Bookmarks.
extension WatchModel {
    mutating func toggleBookmark() {
        guard let current = browser.current else { return }
        message = bookmarks.toggle(current.event, ordinal: current.ordinal)
        // New events must not move the selection away from the event.
        browser.pause()
    }

    mutating func goToBookmark(forward: Bool) -> Action {
        let current = browser.current?.event
        guard let target = forward ? bookmarks.next(after: current) : bookmarks.previous(before: current) else {
            message = "m sets a bookmark at the selected event."
            return .nothing
        }
        if pager == nil { pane = .events }
        return select(target.event, ordinal: target.ordinal)
    }
}

/// An event's details.
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
    mutating func pressInPager(_ key: Key) -> Action {
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
        case .character("t"): return openTop()
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
    mutating func copy(_ text: String) -> Action {
        let sent = ClipboardSequence.sent(of: text)
        let size = "\(sent.utf8.count.grouped)\(sent.utf8.count < text.utf8.count ? " of \(text.utf8.count.grouped)" : "") bytes"
        message = "Copied \(size) by OSC 52, if the terminal permits it."
        return .copy(sent)
    }
}
