import TelemetryModels

/// The processor time that an expression may use for many events.
struct SearchBudget: Sendable {
    private static let maximum = Duration.seconds(5)
    /// Several times what an ordinary expression uses.
    private static let perEvent = Duration.milliseconds(5)

    private var rest = maximum

    /// Whether the expression used so much time that it is no longer evaluated.
    private(set) var isExhausted = false

    /// Matches an event, unless the budget is exhausted.
    mutating func outcome(of pattern: EventPattern, for event: TelemetryEvent) -> EventPattern.Outcome {
        guard pattern.isExpression else { return pattern.outcome(for: event) }
        guard !isExhausted else { return .tooSlow }
        let start = EventPattern.processorTime
        let outcome = pattern.outcome(for: event)
        rest = min(Self.maximum, rest + Self.perEvent - (EventPattern.processorTime - start))
        isExhausted = rest < .zero
        return outcome
    }
}
