import Foundation
import TelemetryModels

/// The levels that an enabled scenario records, and its end.
struct ScenarioOpening {
    var levels: UInt8
    /// Seconds since 1 January 2001.
    var end: Double?

    init?(_ state: TelemetryScenarioState) {
        guard state.isEnabled else { return nil }
        levels = ScenarioGate.levels(upTo: state.level)
        end = state.expires?.timeIntervalSinceReferenceDate
    }

    func isOver(at seconds: Double) -> Bool {
        // Negated, so that a NaN end is in the past.
        end.map { !(seconds < $0) } ?? false
    }
}
