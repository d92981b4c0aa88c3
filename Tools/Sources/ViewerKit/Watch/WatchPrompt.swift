/// A text that is typed in order to filter or find events.
struct WatchPrompt: Sendable {
    enum Purpose: Sendable { case filter, find }

    let purpose: Purpose
    var text = ""
    var isExpression = false
    /// Whether the text is not a valid regular expression.
    private(set) var isInvalid = false

    init(_ purpose: Purpose, _ pattern: EventPattern?) {
        self.purpose = purpose
        text = pattern?.text ?? ""
        isExpression = pattern?.isExpression ?? false
    }

    /// The pattern for the text; nil for no text, and for an invalid regular expression.
    mutating func pattern() -> EventPattern? {
        isInvalid = false
        guard !text.isEmpty else { return nil }
        do { return try EventPattern(text, isExpression: isExpression, limits: .view) } catch {
            isInvalid = true
            return nil
        }
    }
}

extension WatchModel {
    mutating func type(_ key: Key) -> Action {
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
