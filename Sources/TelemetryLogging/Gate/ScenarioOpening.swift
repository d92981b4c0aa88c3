import Foundation
import Synchronization
import TelemetryModels

/// The levels that an enabled scenario records, in which context, and its end.
struct ScenarioOpening {
    var levels: UInt8
    /// Seconds since 1 January 2001.
    var end: Double?
    let conditions: [TelemetryRuleCondition]
    /// An identifier that no other conditions in this process have; 0 without conditions.
    private(set) var conditionsId: UInt64 = 0

    init?(_ state: TelemetryScenarioState) {
        guard state.isEnabled else { return nil }
        levels = ScenarioGate.levels(upTo: state.level)
        end = state.expires?.timeIntervalSinceReferenceDate
        conditions = state.contextConditions
    }

    private static let lastId = Atomic<UInt64>(0)

    /// Gives the conditions the identifier that equal ones have, or a new one.
    mutating func identifyConditions(_ identifiers: inout [[TelemetryRuleCondition]: UInt64]) {
        guard !conditions.isEmpty else { return }
        conditionsId = identifiers[conditions] ?? Self.lastId.add(1, ordering: .relaxed).newValue
        identifiers[conditions] = conditionsId
    }

    func isOver(at seconds: Double) -> Bool {
        // Negated, so that a NaN end is in the past.
        end.map { !(seconds < $0) } ?? false
    }
}
