import TelemetryModels

/// The processor time that an expression may use for many events.
struct SearchBudget: Sendable {
    /// For a view, which a slow expression must not block.
    static let view = SearchBudget(maximum: .milliseconds(500), perEvent: .microseconds(250))
    /// For a command, which may take as long as its events require.
    static let command = SearchBudget(maximum: .seconds(5), perEvent: .milliseconds(5))

    private let maximum: Duration
    /// Several times what an ordinary expression uses.
    private let perEvent: Duration
    private var rest: Duration

    /// Whether the expression used so much time that it is no longer evaluated.
    private(set) var isExhausted = false

    private init(maximum: Duration, perEvent: Duration) {
        self.maximum = maximum
        self.perEvent = perEvent
        rest = maximum
    }

    /// Matches an event, unless the budget is exhausted.
    mutating func outcome(of pattern: EventPattern, for event: TelemetryEvent) -> EventPattern.Outcome {
        guard pattern.isExpression else { return pattern.outcome(for: event) }
        guard !isExhausted else { return .tooSlow }
        let start = EventPattern.processorTime
        let outcome = pattern.outcome(for: event)
        rest = min(maximum, rest + perEvent - (EventPattern.processorTime - start))
        isExhausted = rest < .zero
        return outcome
    }
}
