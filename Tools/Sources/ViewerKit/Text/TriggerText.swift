public import TelemetryModels

/// Formats the triggers of rules: `severity:>=error → capture 5m, at most 1 per 1h`.
public enum TriggerText {
    public static func string(_ trigger: TelemetryTrigger) -> String {
        let when = trigger.when == .all ? "*" : trigger.when.description
        let count = trigger.count == 1 ? "" : ", \(trigger.count) within \(DurationText.compact(seconds: trigger.within))"
        let limit = "at most \(trigger.limit) per \(DurationText.compact(seconds: trigger.per))"
        return "\(when)\(count) → \(string(trigger.action)), \(limit)"
    }

    private static func string(_ action: TelemetryTrigger.Action) -> String {
        switch action {
        case .capture(let lookback): "capture " + (lookback.map(DurationText.compact(seconds:)) ?? "all")
        case .enable(let lease): "enable \(DurationText.compact(seconds: lease))"
        }
    }
}
