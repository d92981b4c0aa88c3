public import TelemetryModels

/// What the keys do.
extension WatchModel {
    /// What is to be done outside the model.
    public enum Action: Sendable, Equatable {
        case nothing
        case quit
        case send(TelemetryCommandRecord)
    }

    public mutating func press(_ key: Key) -> Action {
        if isTyping { return type(key) }
        switch key {
        case .interrupt, .character("q"): return .quit
        case .tab, .right: move(pane: 1)
        case .left: move(pane: -1)
        case .character("/"): isTyping = true
        case .escape:
            search = ""
            onlyClient = false
            frozen = nil
        case .character("p"): frozen = frozen == nil ? log.end : nil
        case .character("c"): onlyClient.toggle()
        case .character("a"): return approve()
        case .character(" "), .enter: return toggle()
        case .up, .character("k"): move(-1)
        case .down, .character("j"): move(1)
        case .pageUp: scroll(by: -max(1, page - 1))
        case .pageDown: scroll(by: max(1, page - 1))
        case .home: scroll(by: -EventLog.capacity * 2)
        case .end: frozen = nil
        default: break
        }
        return .nothing
    }

    private mutating func type(_ key: Key) -> Action {
        switch key {
        case .interrupt: return .quit
        case .enter, .tab: isTyping = false
        case .escape:
            isTyping = false
            search = ""
        case .backspace: if !search.isEmpty { search.removeLast() }
        case .character(let character): search.append(character)
        default: break
        }
        return .nothing
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
        case .scenarios:
            selectedScenario = Self.neighbour(of: selectedScenario, in: scenarios.map(\.scenarioName), step)
        case .events: scroll(by: step)
        }
    }

    private static func neighbour(of name: String?, in names: [String], _ step: Int) -> String? {
        guard let name, let index = names.firstIndex(of: name) else { return names.first }
        return names[min(max(index + step, 0), names.count - 1)]
    }

    /// Moves the view over entries that pass the filter, and stands still there.
    private mutating func scroll(by step: Int) {
        var end = min(frozen ?? log.end, log.end)
        var left = abs(step)
        if step < 0 {
            while left > 0, end > log.first {
                end -= 1
                if shows(log[end]) { left -= 1 }
            }
            // The first page stays full.
            frozen = end
            while visibleEntries(page).count < page, end < log.end {
                end += 1
                frozen = end
            }
        } else {
            while left > 0, end < log.end {
                if shows(log[end]) { left -= 1 }
                end += 1
            }
            frozen = end >= log.end ? nil : end
        }
    }

    private mutating func approve() -> Action {
        guard let client else { return .nothing }
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
