import Foundation
@_spi(Tooling) public import TelemetryModels

/// Selects which events are shown, and finds events among them.
extension WatchModel {
    /// Changes the filter.
    mutating func choose(_ change: (inout WatchFilter.Conditions) -> Void) -> Action {
        showingError { try $0.tryToChoose(change) }
    }

    private mutating func showingError(_ action: (inout Self) throws -> Action) -> Action {
        do { return try action(&self) } catch { return show(error.localizedDescription) }
    }

    private mutating func tryToChoose(_ change: (inout WatchFilter.Conditions) -> Void) throws -> Action {
        let conditions = filter.conditions
        try filter.change(change)
        guard filter.conditions != conditions else { return .nothing }
        restart()
        return .follow
    }

    mutating func showAllClients() -> Action { choose { $0.clientId = nil } }

    mutating func showOnlySelectedClient() -> Action {
        let clientId = selectedClient
        return choose { $0.clientId = clientId }
    }

    /// Updates the filter to the selected client if only one client's events are shown.
    mutating func chooseClient() -> Action {
        onlyClient && filter.conditions.clientId != selectedClient ? showOnlySelectedClient() : .nothing
    }

    /// Shows the events of all severities, then those of info, of warning, and of error and above.
    mutating func chooseNextSeverity() -> Action {
        let next: QuerySeverity? =
            switch severity {
            case nil: .info
            case .info: .warning
            case .warning: .error
            default: nil
            }
        message = next.map { "Only events of severity \($0.rawValue) and above." } ?? "Events of all severities."
        return choose { $0.severity = next }
    }

    /// Shows only the reports of sessions that ended without a shutdown, instead of the events of the query and the severity.
    mutating func showSessionEnds() -> Action {
        pane = .events
        message = "The sessions that ended without a shutdown. Esc shows all events, around the selected one."
        return showingError { model in
            let query = try TelemetryQuery(filter: SessionEnd.filter)
            return try model.tryToChoose { ($0.query, $0.severity) = (query, nil) }
        }
    }

    /// Clears the search and the filter; if there is nothing to clear, follows the newest events.
    mutating func clear() -> Action {
        guard found != nil || filter.isNarrow || sideways > 0 else {
            resume()
            return .nothing
        }
        found = nil
        sideways = 0
        return choose { $0 = WatchFilter.Conditions() }
    }

    // MARK: Typing

    mutating func type(_ key: Key) -> Action {
        switch key {
        case .enter, .tab: return usePrompt()
        case .escape: prompt = nil
        case .up, .wheelUp: return move(by: -1)
        case .down, .wheelDown: return move(by: 1)
        case .pageUp: return scroll(by: -max(1, page - 1))
        case .pageDown: return scroll(by: max(1, page - 1))
        default: prompt?.edit(key)
        }
        return .nothing
    }

    private mutating func usePrompt() -> Action {
        guard let query = prompt?.query() else { return .nothing }
        if prompt?.purpose == .find {
            prompt = nil
            found = query == .all ? nil : query
            return findNearest()
        }
        do {
            let action = try tryToChoose { $0.query = query }
            prompt = nil
            return action
        } catch {
            prompt?.reject(error)
            return .nothing
        }
    }

    // MARK: Finding

    /// Goes to the match that is nearest to the selected event: itself, an older one, a newer one.
    private mutating func findNearest() -> Action {
        guard let found else { return .nothing }
        pane = .events
        if let cursor = browser.cursor,
            browser.find(found, forward: false, from: cursor) || browser.find(found, forward: true, from: cursor)
        {
            return .nothing
        }
        message = "No match in the loaded events. N looks in older ones."
        return .nothing
    }

    /// Goes to the next or previous match.
    mutating func find(forward: Bool) -> Action {
        guard let found else {
            message = "f finds a query's events; then n and N go to the next and previous match."
            return .nothing
        }
        if pager == nil { pane = .events }
        if browser.find(found, forward: forward) { return .nothing }
        return forward ? readNewer(for: .match(found, forward: true)) : readOlder(for: .match(found, forward: false))
    }

    // MARK: Top values

    /// Shows the most frequent values of the field under the cursor or, if there is none, asks for the field.
    mutating func openTop() -> Action {
        if let field = pager?.field { return askTop(field) }
        let keys = browser.current?.event.attributes.keys.sorted() ?? []
        let attributes = keys.map(EventField.init(attribute:)).filter { !EventField.common.contains($0) }
        top = WatchTop(.fields(EventField.common + attributes))
        return .nothing
    }

    private mutating func askTop(_ field: EventField) -> Action {
        showingError { model in
            let request = try TopRequest(field, filter: model.filter.events)
            model.top = WatchTop(.reading(request))
            return .top(request)
        }
    }

    /// Handles a key while the top values, or the fields, are shown.
    mutating func chooseTop(_ key: Key) -> Action {
        let page = page
        switch key {
        case .up, .wheelUp, .character("k"): top?.move(by: -1)
        case .down, .wheelDown, .character("j"): top?.move(by: 1)
        case .pageUp: top?.move(by: -page)
        case .pageDown: top?.move(by: page)
        case .enter: return top?.field.map { askTop($0) } ?? top?.term.map { addToFilter($0) } ?? .nothing
        case .character("-"): return top?.term.map { addToFilter("-\($0)") } ?? .nothing
        case .escape, .character("q"), .character("t"), .backspace: top = nil
        default: break
        }
        return .nothing
    }

    /// Adds a term, and shows the events.
    private mutating func addToFilter(_ term: String) -> Action {
        showingError { model in
            let query = try model.filter.conditions.query.and(TelemetryQuery(filter: term))
            let action = try model.tryToChoose { $0.query = query }
            (model.top, model.pager, model.pane) = (nil, nil, .events)
            return action
        }
    }

    /// Whether the answer to ``Action/top(_:)`` is expected.
    public var isAsking: Bool { top?.isReading == true }

    /// Receives the answer to ``Action/top(_:)``.
    @discardableResult
    public mutating func receive(_ result: TelemetryQueryResult, for request: TopRequest) -> Action {
        if isWaiting(for: request) { top = WatchTop(result, for: request) }
        return .nothing
    }

    /// Receives the failure of ``Action/top(_:)``.
    @discardableResult
    public mutating func receiveFailure(_ text: String, of request: TopRequest) -> Action {
        guard isWaiting(for: request) else { return .nothing }
        top = nil
        return show(text)
    }

    private func isWaiting(for request: TopRequest) -> Bool {
        if case .reading(request)? = top?.content { true } else { false }
    }
}
