import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decides the state of a scenario. In this order: the user's veto, the host's policy, the explicit decision if it has not
/// expired, the most verbose rule that applies or has acted, off.
struct ScenarioDecision: Sendable {
    /// The client's properties that the decision depends on.
    struct Context: Sendable {
        var clientId: String?
        var attributes: [String: String] = [:]
        var policy = TelemetryPolicy()
        var deniedScenarios: Set<String> = []
        /// The rules in the store; nil while they are unknown: then a rule's earlier decision is kept.
        var rules: ScenarioRules?
    }

    /// The resulting state.
    let state: TelemetryScenarioState
    /// The given decision if it still applies once the veto is lifted; nil if it was dropped.
    let decision: TelemetryScenarioState?

    /// - Parameters:
    ///   - scenarioName: The scenario.
    ///   - decision: The last explicit decision, or the last decision of a rule or of its trigger; nil if there is none.
    ///   - context: The client's properties.
    ///   - date: The time at which the decision is made.
    init(on scenarioName: String, after decision: TelemetryScenarioState?, in context: Context, at date: Date) {
        self.decision = decision.flatMap { Self.lasting($0, on: scenarioName, in: context, at: date) }
        if context.deniedScenarios.contains(scenarioName) {
            // The user's veto overrides every other decision.
            state = TelemetryScenarioState(source: .host)
        } else {
            let isExplicit = if case .rule? = self.decision?.source { false } else { self.decision != nil }
            let byRule = isExplicit ? nil : Self.byRule(on: scenarioName, in: context, at: date)
            let isByRule = byRule?.exceeds(self.decision) ?? false
            state = (isByRule ? byRule : self.decision) ?? TelemetryScenarioState()
        }
    }

    /// The decision, limited by the current policy; nil if it no longer applies.
    private static func lasting(
        _ decision: TelemetryScenarioState, on scenarioName: String, in context: Context, at date: Date
    ) -> TelemetryScenarioState? {
        if decision.hasExpired(at: date) { return nil }
        var lasting = decision
        lasting.suspendedUntil = nil
        switch decision.source {
        // A store that keeps only the Bool has no source: a scenario that is on was turned on explicitly.
        case .registration: return decision.isEnabled ? lasting : nil
        case .host: return lasting
        case .rule(let ruleId) where !context.mayHaveActed(ruleId, on: scenarioName, at: date): return nil
        case .viewer, .rule:
            guard decision.isEnabled else { return decision.source == .viewer ? lasting : nil }
            guard context.policy.allowsRemotely(scenarioName) else { return nil }
            lasting.level = min(lasting.level, context.policy.maximumLevel)
            return lasting
        }
    }

    /// The most verbose rule that applies; of several, one without context conditions, then the one that lasts longest, then the one
    /// whose identifier sorts first.
    private static func byRule(on scenarioName: String, in context: Context, at date: Date) -> TelemetryScenarioState? {
        guard let clientId = context.clientId, let rules = context.rules, context.policy.allowsRemotely(scenarioName) else {
            return nil
        }
        var best: TelemetryScenarioState?
        // By identifier, so that the first of equal rules decides.
        for rule in rules[scenarioName] {
            let state = TelemetryScenarioState(
                isEnabled: true, level: min(rule.level, context.policy.maximumLevel), expires: rule.expires,
                source: .rule(rule.ruleId), contextConditions: rule.contextConditions)
            guard rule.trigger == nil, state.exceeds(best),
                rule.applies(to: clientId, attributes: context.attributes, at: date)
            else { continue }
            best = state
        }
        return best
    }
}

extension TelemetryScenarioState {
    /// Whether a rule's state comes before that of another rule: by its level, then without context conditions, then if it lasts longer.
    func exceeds(_ other: Self?) -> Bool {
        guard let other else { return true }
        if level != other.level { return level > other.level }
        if contextConditions.isEmpty != other.contextConditions.isEmpty { return contextConditions.isEmpty }
        return (expires ?? .distantFuture) > (other.expires ?? .distantFuture)
    }
}
