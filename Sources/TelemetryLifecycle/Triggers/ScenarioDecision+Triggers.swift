import TelemetryLogging
import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ScenarioDecision.Context {
    /// The triggers of the rules that apply to the client, and whose action the policy and the user allow.
    func triggers(at date: Date) -> [EventTrigger] {
        (rules?.triggers ?? []).compactMap { rule in allowedTrigger(of: rule, at: date) }
    }

    /// The rule of a trigger, if it still applies.
    func rule(of trigger: EventTrigger, at date: Date) -> TelemetryRuleRecord? {
        rules?[trigger.scenario].first { $0.ruleId == trigger.ruleId && allowedTrigger(of: $0, at: date) == trigger }
    }

    /// Whether a rule's trigger may have turned the scenario on. Unknown rules may have.
    func mayHaveActed(_ ruleId: String, on scenarioName: String, at date: Date) -> Bool {
        guard let rules else { return true }
        return rules[scenarioName].contains { rule in
            guard case .enable? = rule.trigger?.action else { return false }
            return rule.ruleId == ruleId && allowedTrigger(of: rule, at: date) != nil
        }
    }

    private func allowedTrigger(of rule: TelemetryRuleRecord, at date: Date) -> EventTrigger? {
        guard let trigger = rule.trigger, let clientId, !deniedScenarios.contains(rule.scenarioName),
            rule.applies(to: clientId, attributes: attributes, at: date)
        else { return nil }
        let isAllowed =
            switch trigger.action {
            case .capture: policy.capturingRejection(of: rule.scenarioName) == nil
            case .enable: policy.enablingRejection(of: rule.scenarioName) == nil
            }
        return isAllowed ? EventTrigger(ruleId: rule.ruleId, scenario: rule.scenarioName, trigger: trigger) : nil
    }
}
