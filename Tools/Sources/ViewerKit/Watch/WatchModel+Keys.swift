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
        /// Read stored events, and pass them to ``take(_:for:)``.
        case read(HistoryRequest)
        /// Copy a text to the clipboard.
        case copy(String)
    }

    public mutating func press(_ key: Key) -> Action {
        switch key {
        case .interrupt: return .quit
        case .suspend: return .suspend
        default: break
        }
        if let client = ending { return answer(key, client) }
        if prompt != nil { return type(key) }
        if pager != nil { return page(key) }
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
        case .character("/"): prompt = WatchPrompt(.filter, filter)
        case .character("f"): prompt = WatchPrompt(.find, found)
        case .character("n"): return find(forward: true)
        case .character("N"): return find(forward: false)
        case .character("m"): toggleBookmark()
        case .character("["): return goToBookmark(forward: false)
        case .character("]"), .character("'"): return goToBookmark(forward: true)
        case .character("y"): if let event = browser.current?.event { return copy(detail(of: event).text(time: TimeText())) }
        case .character("p"): if isPaused { resume() } else { browser.pause() }
        case .character("c"):
            showOnlyClient(!onlyClient)
            return reloadIfSparse()
        case .character("s"):
            chooseNextSeverity()
            return reloadIfSparse()
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
        case .up, .character("k"): return move(-1)
        case .down, .character("j"): return move(1)
        default: break
        }
        return .nothing
    }

    /// Clears the search, the filter, the severity and the selection of a client; if there is nothing to clear, follows the newest events.
    private mutating func clear() -> Action {
        guard found != nil || browser.selection.filter.isNarrow || sideways > 0 else {
            resume()
            return .nothing
        }
        found = nil
        sideways = 0
        choose { $0 = EventViewFilter() }
        return reloadIfSparse()
    }

    private mutating func answer(_ key: Key, _ client: String) -> Action {
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

    private mutating func move(_ step: Int) -> Action {
        switch pane {
        case .clients:
            selectedClient = Self.neighbour(of: selectedClient, in: clients.map(\.clientId), step)
            selectedScenario = scenarios.first?.scenarioName
            chooseClient()
            return reloadIfSparse()
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
        guard let ordinal = browser.current?.ordinal else { return }
        message = bookmarks.toggle(ordinal)
        // New events must not move the selection away from the event.
        browser.pause()
    }

    mutating func goToBookmark(forward: Bool) -> Action {
        let current = browser.cursor.map { browser.ordinal($0) } ?? 0
        guard let target = forward ? bookmarks.next(after: current) : bookmarks.previous(before: current) else {
            message = "m sets a bookmark at the selected event."
            return .nothing
        }
        if pager == nil { pane = .events }
        return select(ordinal: target)
    }
}

/// Typing a text, and finding it.
extension WatchModel {
    private mutating func type(_ key: Key) -> Action {
        guard var prompt else { return .nothing }
        switch key {
        case .enter, .tab:
            guard !prompt.isInvalid else { return .nothing }
            self.prompt = nil
            return prompt.purpose == .find ? findNearest() : reloadIfSparse()
        case .escape:
            self.prompt = nil
            if prompt.purpose == .find { found = nil } else { choose { $0.pattern = nil } }
            return reloadIfSparse()
        case .backspace: if !prompt.text.isEmpty { prompt.text.removeLast() }
        case .control("u"): prompt.text = ""
        case .control("r"): prompt.isExpression.toggle()
        case .character(let character): prompt.text.append(character)
        case .up, .wheelUp: return move(by: -1)
        case .down, .wheelDown: return move(by: 1)
        case .pageUp: return scroll(by: -max(1, page - 1))
        case .pageDown: return scroll(by: max(1, page - 1))
        default: return .nothing
        }
        let pattern = prompt.pattern()
        self.prompt = prompt
        // An expression may be invalid while it is typed; until it is valid, the last valid one is used.
        guard !prompt.isInvalid else { return .nothing }
        if prompt.purpose == .find { found = pattern } else { choose { $0.pattern = pattern } }
        return .nothing
    }

    /// Goes to the match that is nearest to the selected event: itself, an older one, a newer one.
    private mutating func findNearest() -> Action {
        guard let found, let cursor = browser.cursor else { return .nothing }
        pane = .events
        var outcome = browser.find(found, forward: false, from: cursor)
        if outcome == .noMatch { outcome = browser.find(found, forward: true, from: cursor) }
        switch outcome {
        case .match: break
        case .noMatch: message = "No match in the loaded events. N looks in older ones."
        case .tooSlow: message = Self.tooSlow
        }
        return .nothing
    }

    /// Goes to the next or previous match.
    mutating func find(forward: Bool) -> Action {
        guard let pattern = found ?? filter else {
            message = "f finds a text; then n and N go to the next and previous match."
            return .nothing
        }
        if pager == nil { pane = .events }
        switch browser.find(pattern, forward: forward) {
        case .match: return .nothing
        case .noMatch: return forward ? readNewer(for: .match(forward: true)) : readOlder(for: .match(forward: false))
        case .tooSlow:
            message = Self.tooSlow
            return .nothing
        }
    }
}
