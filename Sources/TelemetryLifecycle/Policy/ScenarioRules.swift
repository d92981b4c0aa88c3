import TelemetryModels

/// The rules in the store, sorted by identifier and grouped by scenario, so that a decision reads only those of its scenario.
struct ScenarioRules: Sendable, ExpressibleByArrayLiteral {
    private let rules: [TelemetryRuleRecord]
    /// The indices of each scenario's rules. Indices, because rules are large.
    private let byScenario: [String: [Int]]
    /// The rules with a trigger, by their identifiers.
    let triggers: [TelemetryRuleRecord]

    init(_ rules: [TelemetryRuleRecord]) {
        let sorted = rules.indices.sorted { rules[$0].ruleId < rules[$1].ruleId }
        self.rules = rules
        byScenario = Dictionary(grouping: sorted) { rules[$0].scenarioName }
        triggers = sorted.filter { rules[$0].trigger != nil }.map { rules[$0] }
    }

    init(arrayLiteral rules: TelemetryRuleRecord...) { self.init(rules) }

    /// The rules for a scenario, by their identifiers.
    subscript(scenarioName: String) -> some Collection<TelemetryRuleRecord> {
        (byScenario[scenarioName] ?? []).lazy.map { rules[$0] }
    }
}
