import Synchronization

/// The values of a context, with the last decision on conditions, so that the events of one request are decided on once.
package final class ContextValues: Sendable {
    package let byName: [String: String]
    /// The identifier of the conditions times 4, plus 2 if the decision is open, plus 1 if they hold; 0 for no decision.
    private let decision = Atomic<UInt64>(0)

    init(_ outer: [String: String], adding inner: [String: String]) {
        byName = outer.isEmpty ? inner : outer.merging(inner) { _, inner in inner }
    }

    /// The decision on the conditions with this identifier; nil if that was not the last one.
    package func decision(on conditions: UInt64) -> ContextDecision? {
        let decision = decision.load(ordering: .relaxed)
        return decision >> 2 == conditions ? ContextDecision(holds: decision & 1 != 0, isOpen: decision & 2 != 0) : nil
    }

    /// - Parameter conditions: An identifier above 0 that no other conditions in this process have.
    package func remember(_ new: ContextDecision, for conditions: UInt64) {
        decision.store(conditions << 2 | (new.isOpen ? 2 : 0) | (new.holds ? 1 : 0), ordering: .relaxed)
    }
}

/// Whether conditions hold in a context.
package struct ContextDecision: Sendable, Equatable {
    package let holds: Bool
    /// Whether values that the context lacks could change it.
    package let isOpen: Bool

    package init(holds: Bool, isOpen: Bool) {
        self.holds = holds
        self.isOpen = isOpen
    }
}
