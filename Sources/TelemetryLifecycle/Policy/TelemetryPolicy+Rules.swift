public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TelemetryPolicy {
    /// Decides the states of scenarios without explicit decisions, as the service does at a change of the rules.
    /// - Parameters:
    ///   - scenarioNames: The scenarios.
    ///   - rules: All rules in the store.
    ///   - clientId: The client's identifier.
    ///   - attributes: The client's other attributes, by name.
    ///   - date: The time at which the rules are evaluated.
    @_spi(Tooling)
    public func states(
        of scenarioNames: [String], byRules rules: [TelemetryRuleRecord], clientId: String, attributes: [String: String],
        at date: Date
    ) -> [TelemetryScenarioState] {
        let context = ScenarioDecision.Context(
            clientId: clientId, attributes: attributes, policy: self, rules: ScenarioRules(rules))
        return scenarioNames.map { ScenarioDecision(on: $0, after: nil, in: context, at: date).state }
    }
}
