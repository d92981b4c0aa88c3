public import Foundation
public import TelemetryModels

/// Formats what a scenario's record says, for a listing.
public enum ScenarioText {
    /// The level that is recorded; a dash while the scenario is off.
    public static func level(_ scenario: TelemetryScenarioRecord) -> String {
        scenario.isEnabled ? scenario.level.rawValue : "–"
    }

    /// How long the scenario stays on; a dash where it does until it is turned off.
    public static func timeLeft(_ scenario: TelemetryScenarioRecord, now: Date) -> String {
        scenario.isEnabled ? timeLeft(until: scenario.expires, now: now) : "–"
    }

    /// How long it is until a date; a dash for none.
    public static func timeLeft(until end: Date?, now: Date) -> String {
        guard let end else { return "–" }
        let seconds = end.timeIntervalSince(now)
        return seconds > 0 ? DurationText.string(seconds: seconds) : "ended"
    }

    /// Who decided; a dash where nobody did.
    public static func source(_ scenario: TelemetryScenarioRecord) -> String {
        switch scenario.source {
        case .registration: "–"
        case .host: "app"
        case .viewer: "viewer"
        case .rule(let ruleId): "rule \(ruleId)"
        }
    }
}
