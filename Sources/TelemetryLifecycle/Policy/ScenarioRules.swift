import TelemetryModels

/// The rules in the store, by scenario, so that a decision reads only those of its scenario.
struct ScenarioRules: Sendable, ExpressibleByArrayLiteral {
    private let byScenario: [String: [TelemetryRuleRecord]]

    init(_ rules: [TelemetryRuleRecord]) {
        byScenario = Dictionary(grouping: rules, by: \.scenarioName)
        triggers = rules.filter { $0.trigger != nil }.sorted { $0.ruleId < $1.ruleId }
    }

    init(arrayLiteral rules: TelemetryRuleRecord...) { self.init(rules) }

    /// The rules with a trigger, by their identifiers.
    let triggers: [TelemetryRuleRecord]

    /// The rules for a scenario, in their original order.
    subscript(scenarioName: String) -> [TelemetryRuleRecord] { byScenario[scenarioName] ?? [] }
}
