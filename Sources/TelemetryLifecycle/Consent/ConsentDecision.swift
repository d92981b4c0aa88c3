import Synchronization

/// The time of a decision, which a later opt-out overrules.
@MainActor
final class ConsentDecision {
    /// The number of opt-outs of this process before the decision.
    let count: Int
    /// The number of opt-outs of all processes before the decision; nil until it is read. A host's settings store does not count them.
    var stored: Int?

    init(count: Int) { self.count = count }
}

/// Counts the opt-outs of this process. A change of the stores reads the count when it is made.
final class OptOutCount: Sendable {
    private let count = Mutex(0)

    var now: Int { count.withLock(\.self) }

    func add() { count.withLock { $0 += 1 } }
}
