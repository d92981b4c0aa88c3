public import TelemetryModels

/// What the keys do.
extension WatchModel {
    /// What is to be done outside the model.
    public enum Action: Sendable, Equatable {
        case nothing
        case quit
        /// The person wants the shell back for a while.
        case suspend
        case send(TelemetryCommandRecord)
    }

    /// The keys, and what they do, as the help shows them.
    static let help: [(key: String, what: String)] = [
        ("Tab  ← →", "the next pane, the one before"), ("↑ ↓  j k", "move in the pane; in the events, scroll"),
        ("PgUp PgDn Home End", "scroll the events; End goes on with the newest"),
        ("Space", "turn the selected scenario on or off"), ("a", "approve the selected client"),
        ("x", "end the selected client's telemetry, after a question"),
        ("/", "filter the events as you type; Esc drops the filter"),
        ("c", "only the selected client's events"), ("p", "stand still, go on"), ("Ctrl-Z", "back to the shell; fg returns"),
        ("q  Ctrl-C", "quit"),
    ]

    public mutating func press(_ key: Key) -> Action {
        switch key {
        case .interrupt: return .quit
        case .suspend: return .suspend
        default: break
        }
        if let client = ending { return answer(key, client) }
        if isTyping { return type(key) }
        if showsHelp {
            showsHelp = false
            return .nothing
        }
        switch key {
        case .character("q"): return .quit
        case .character("?"), .character("h"): showsHelp = true
        case .tab, .right: move(pane: 1)
        case .backTab, .left: move(pane: -1)
        case .character("/"): isTyping = true
        case .escape:
            search = ""
            showOnlyClient(false)
            goOn()
        case .character("p"): if isStill { goOn() } else { stand() }
        case .character("c"): showOnlyClient(!onlyClient)
        case .character("a"): return approve()
        case .character("x"): ending = client?.clientId
        case .character(" "), .enter: return toggle()
        case .up, .character("k"): move(-1)
        case .down, .character("j"): move(1)
        case .pageUp: scroll(by: -max(1, page - 1))
        case .pageDown: scroll(by: max(1, page - 1))
        case .home: scroll(by: -EventLog.capacity * 2)
        case .end: goOn()
        default: break
        }
        return .nothing
    }

    private mutating func type(_ key: Key) -> Action {
        switch key {
        case .enter, .tab: isTyping = false
        case .escape:
            isTyping = false
            search = ""
        case .backspace: if !search.isEmpty { search.removeLast() }
        case .character(let character): search.append(character)
        case .up: scroll(by: -1)
        case .down: scroll(by: 1)
        case .pageUp: scroll(by: -max(1, page - 1))
        case .pageDown: scroll(by: max(1, page - 1))
        default: break
        }
        return .nothing
    }

    private mutating func answer(_ key: Key, _ client: String) -> Action {
        ending = nil
        guard [.character("y"), .character("Y")].contains(key) else {
            message = "Nothing was changed."
            return .nothing
        }
        message = "Ending the telemetry of \(client) …"
        return .send(TelemetryCommandRecord(clientId: client, action: .disable))
    }

    private mutating func move(pane step: Int) {
        let panes = Pane.allCases
        guard let index = panes.firstIndex(of: pane) else { return }
        pane = panes[(index + step + panes.count) % panes.count]
    }

    private mutating func move(_ step: Int) {
        switch pane {
        case .clients:
            selectedClient = Self.neighbour(of: selectedClient, in: clients.map(\.clientId), step)
            selectedScenario = scenarios.first?.scenarioName
            chooseClient()
        case .scenarios:
            selectedScenario = Self.neighbour(of: selectedScenario, in: scenarios.map(\.scenarioName), step)
        case .events: scroll(by: step)
        }
    }

    private static func neighbour(of name: String?, in names: [String], _ step: Int) -> String? {
        guard let name, let index = names.firstIndex(of: name) else { return names.first }
        return names[min(max(index + step, 0), names.count - 1)]
    }

    private mutating func approve() -> Action {
        guard let client else { return .nothing }
        guard !client.isEnabled else {
            message = "\(client.clientId) is approved already."
            return .nothing
        }
        message = "Approving \(client.clientId) …"
        return .send(TelemetryCommandRecord(clientId: client.clientId, action: .enable))
    }

    private mutating func toggle() -> Action {
        guard pane == .scenarios, let scenario else {
            if pane == .clients { pane = .scenarios }
            return .nothing
        }
        message = "Turning \(scenario.scenarioName) \(scenario.isEnabled ? "off" : "on") …"
        return .send(
            TelemetryCommandRecord(
                clientId: scenario.clientId, action: scenario.isEnabled ? .disableScenario : .enableScenario,
                scenarioName: scenario.scenarioName))
    }
}
