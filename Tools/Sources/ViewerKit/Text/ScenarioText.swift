public import Foundation
public import TelemetryModels

/// Formats a scenario's record for a list.
public enum ScenarioText {
    /// The recorded level; a dash if the scenario is disabled.
    public static func level(_ scenario: TelemetryScenarioRecord) -> String {
        scenario.isEnabled ? scenario.level.rawValue : "–"
    }

    /// The recorded level as a short word, as in ``level(_:)``.
    static func shortLevel(_ scenario: TelemetryScenarioRecord) -> String {
        scenario.isEnabled && scenario.level == .diagnostic ? "diag" : level(scenario)
    }

    /// The contexts in which the scenario is on; a dash for all, or if it is disabled.
    public static func context(_ scenario: TelemetryScenarioRecord) -> String {
        let isLimited = scenario.isEnabled && !scenario.contextConditions.isEmpty
        return isLimited ? RuleConditionText.string(scenario.contextConditions) : "–"
    }

    /// The time until the scenario is disabled automatically; a dash if that is not planned or the scenario is disabled.
    public static func timeLeft(_ scenario: TelemetryScenarioRecord, now: Date) -> String {
        scenario.isEnabled ? timeLeft(until: scenario.expires, now: now) : "–"
    }

    /// The time until a date; a dash for nil.
    public static func timeLeft(until end: Date?, now: Date) -> String {
        guard let end else { return "–" }
        let seconds = end.timeIntervalSince(now)
        return seconds > 0 ? DurationText.string(seconds: seconds) : "ended"
    }

    /// The source of the decision; a dash if there is none.
    public static func source(_ scenario: TelemetryScenarioRecord) -> String {
        switch scenario.source {
        case .registration: "–"
        case .host: "app"
        case .viewer: "viewer"
        case .rule(let ruleId): "rule \(ruleId)"
        }
    }
}
