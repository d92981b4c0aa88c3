import TelemetryModels

/// The rules in the store, by scenario, so that a decision reads only those of its scenario.
struct ScenarioRules: Sendable, ExpressibleByArrayLiteral {
    private let byScenario: [String: [TelemetryRuleRecord]]

    init(_ rules: [TelemetryRuleRecord]) { byScenario = Dictionary(grouping: rules, by: \.scenarioName) }
    init(arrayLiteral rules: TelemetryRuleRecord...) { self.init(rules) }

    /// The rules for a scenario, in their original order.
    subscript(scenarioName: String) -> [TelemetryRuleRecord] { byScenario[scenarioName] ?? [] }
}
