import Foundation
import TelemetryModels

/// An explicit decision on a scenario, as the simulation made it.
struct ExpectedDecision: Equatable {
    var isEnabled: Bool
    var level = TelemetryLogLevel.diagnostic
    var source: TelemetryScenarioState.Source
    /// When it ends, on the device's clock; nil if it does not. A range if the simulation does not know when it was applied.
    var end: ClosedRange<Date>?
    /// How often the device's clock had been set before.
    var clockChanges = 0

    /// Whether it may be the reason why an event is recorded.
    func permits(_ level: TelemetryLogLevel, at date: Date) -> Bool {
        isEnabled && level <= self.level && end.map { date < $0.upperBound } ?? true
    }

    /// Whether it may have ended: its end has passed, or the clock was set and its end may have passed meanwhile.
    func mayHaveEnded(at date: Date, clockChanges: Int) -> Bool {
        guard let end else { return false }
        return date >= end.lowerBound || clockChanges != self.clockChanges
    }

    /// Whether the state is the decision's.
    func matches(_ state: TelemetryScenarioState, at date: Date) -> Bool {
        guard isEnabled else { return state == TelemetryScenarioState(source: source) }
        guard state.isEnabled, state.level == level, state.source == source else { return false }
        guard let end else { return state.expires == nil }
        guard date < end.upperBound, let expires = state.expires else { return false }
        // The sum of a date and a lease is rounded.
        return expires > end.lowerBound - 0.001 && expires < end.upperBound + 0.001
    }
}
