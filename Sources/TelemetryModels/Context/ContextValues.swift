import Synchronization

/// The values of a context, with the last decision on conditions, so that the events of one request are decided on once.
package final class ContextValues: Sendable {
    package let byName: [String: String]
    /// The identifier of the conditions, doubled, plus 1 if they hold; 0 for no decision.
    private let decision = Atomic<UInt64>(0)

    init(_ outer: [String: String], adding inner: [String: String]) {
        byName = outer.isEmpty ? inner : outer.merging(inner) { _, inner in inner }
    }

    /// Whether the conditions with this identifier hold; nil if that was not the last decision.
    package func decision(on conditions: UInt64) -> Bool? {
        let decision = decision.load(ordering: .relaxed)
        return decision >> 1 == conditions ? decision & 1 == 1 : nil
    }

    /// - Parameter conditions: An identifier above 0 that no other conditions in this process have.
    package func remember(_ holds: Bool, for conditions: UInt64) {
        decision.store(conditions << 1 | (holds ? 1 : 0), ordering: .relaxed)
    }
}
