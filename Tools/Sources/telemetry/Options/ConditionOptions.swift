import ArgumentParser
import TelemetryModels
import ViewerKit

/// The option that selects clients by conditions.
struct ConditionOptions: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: "Only clients that meet this condition, such as 'appVersion>=2.1' or 'deviceModel in A,B'; may be repeated.")
    var texts: [String] = []

    func validate() throws { _ = try parsed() }

    func parsed() throws -> [TelemetryRuleCondition] {
        try texts.map { text in
            guard let condition = RuleConditionText.condition(text) else {
                throw ValidationError("--where \"\(text)\" is not a valid condition. Conditions: \(RuleConditionText.forms).")
            }
            return condition
        }
    }
}
