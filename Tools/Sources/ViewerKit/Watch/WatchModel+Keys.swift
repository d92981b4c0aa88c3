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
