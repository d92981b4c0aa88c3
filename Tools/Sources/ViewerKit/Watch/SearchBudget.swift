import TelemetryModels

/// The processor time that an expression may use for many events, so that a slow one does not block the view.
struct SearchBudget: Sendable {
    private static let maximum = Duration.milliseconds(500)
    /// Several times what an ordinary expression uses.
    private static let perEvent = Duration.microseconds(250)

    private var rest = Self.maximum

    /// Whether the expression used so much time that it is no longer evaluated.
    private(set) var isExhausted = false

    /// Matches an event, unless the budget is exhausted.
    mutating func outcome(of pattern: WatchPattern, for event: TelemetryEvent) -> WatchPattern.Outcome {
        guard pattern.isExpression else { return pattern.outcome(for: event) }
        guard !isExhausted else { return .tooSlow }
        let start = WatchPattern.processorTime
        let outcome = pattern.outcome(for: event)
        rest = min(Self.maximum, rest + Self.perEvent - (WatchPattern.processorTime - start))
        isExhausted = rest < .zero
        return outcome
    }
}

/// Finds a pattern in the texts of one screen, in limited time.
struct SearchHighlighter {
    private let pattern: WatchPattern
    private var rest = Duration.milliseconds(30)

    init(_ pattern: WatchPattern) { self.pattern = pattern }

    mutating func ranges(in text: String) -> [Range<String.Index>] {
        guard rest > .zero else { return [] }
        let start = WatchPattern.processorTime
        defer { rest -= WatchPattern.processorTime - start }
        return pattern.ranges(in: text)
    }
}
