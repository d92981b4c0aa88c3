/// What a trigger has counted, and when it acted. Its size is bounded by the trigger's numbers. For the project's packages; not part of
/// the interface.
@_spi(Tooling)
public struct TriggerCounter: Sendable, Equatable {
    /// What an event that matches causes.
    public enum Outcome: Sendable, Equatable {
        /// The event was counted: so many now are within the period.
        case counted(Int)
        /// An action, because of so many events.
        case acts(Int)
        /// No action, because the limit is reached.
        case heldBack
        /// Nothing: the scenario of the event is on because of the trigger.
        case ownEvent
    }

    /// The times of the events counted since the last action.
    private var counted: [Double] = []
    /// The times of the actions within the limit's period.
    private var actions: [Double] = []

    public init() {}

    /// Counts an event that matches the trigger's query.
    /// - Parameters:
    ///   - seconds: When it was logged, in seconds since 2001.
    ///   - isOwn: Whether the event is of the scenario that the trigger acts on.
    public mutating func add(_ seconds: Double, isOwn: Bool, to trigger: TelemetryTrigger) -> Outcome {
        // What it turned on must not keep it on.
        if isOwn, case .enable(let lease) = trigger.action, let last = actions.last, abs(seconds - last) < lease {
            return .ownEvent
        }
        // In both directions, because the clock may have been set back.
        counted.removeAll { abs($0 - seconds) > trigger.within }
        counted.append(seconds)
        guard counted.count >= trigger.count else { return .counted(counted.count) }
        let count = counted.count
        counted = []
        actions.removeAll { abs($0 - seconds) >= trigger.per }
        guard actions.count < trigger.limit else { return .heldBack }
        actions.append(seconds)
        return .acts(count)
    }
}
