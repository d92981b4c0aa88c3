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
    }

    /// The keys and their descriptions, as the help shows them.
    static let help: [(key: String, what: String)] = [
        ("Tab  ← →", "next pane, previous pane"), ("↑ ↓  j k", "move the selection; scroll the events"),
        ("PgUp PgDn Home End", "scroll the events; End returns to the newest"),
        ("Space", "enable or disable the selected scenario"), ("a", "approve the selected client"),
        ("x", "end the selected client's telemetry, after confirmation"),
        ("/", "filter the events as you type; Esc clears the filter"),
        ("c", "show only the selected client's events"), ("p", "pause, resume"), ("Ctrl-Z", "suspend; fg resumes"),
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
            resume()
        case .character("p"): if isPaused { resume() } else { pause() }
        case .character("c"): showOnlyClient(!onlyClient)
        case .character("a"): return approve()
        case .character("x"): ending = client?.clientId
        case .character(" "), .enter: return toggle()
        case .up, .character("k"): move(-1)
        case .down, .character("j"): move(1)
        case .pageUp: scroll(by: -max(1, page - 1))
        case .pageDown: scroll(by: max(1, page - 1))
        case .home: scroll(by: -EventLog.capacity * 2)
        case .end: resume()
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
            message = "Nothing changed."
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
            message = "\(client.clientId) is already approved."
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
        message = "\(scenario.isEnabled ? "Disabling" : "Enabling") \(scenario.scenarioName) …"
        return .send(
            TelemetryCommandRecord(
                clientId: scenario.clientId, action: scenario.isEnabled ? .disableScenario : .enableScenario,
                scenarioName: scenario.scenarioName))
    }
}
