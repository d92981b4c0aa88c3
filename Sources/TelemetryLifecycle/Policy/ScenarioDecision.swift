import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decides on the state of a scenario: the person's veto, then the host's policy, then the explicit decision while it has not
/// expired, then the most verbose rule that applies, then off.
struct ScenarioDecision: Sendable {
    /// What is known of the client for which it is decided.
    struct Context: Sendable {
        var clientId: String?
        var attributes: [String: String] = [:]
        var policy = TelemetryPolicy()
        var deniedScenarios: Set<String> = []
        /// The rules at the store; nil while they are not known, when a rule's earlier decision stands.
        var rules: [TelemetryRuleRecord]?
    }

    /// The state that holds.
    let state: TelemetryScenarioState
    /// The decision that was given, where it still counts once the veto is lifted; nil where it was dropped.
    let decision: TelemetryScenarioState?

    /// - Parameters:
    ///   - scenarioName: The scenario.
    ///   - decision: The last explicit decision, or the last decision of a rule; nil where there is none.
    ///   - context: What is known of the client.
    ///   - date: The time for which it is decided.
    init(on scenarioName: String, after decision: TelemetryScenarioState?, in context: Context, at date: Date) {
        self.decision = decision.flatMap { Self.lasting($0, on: scenarioName, in: context, at: date) }
        if context.deniedScenarios.contains(scenarioName) {
            // Whoever decides does not matter: the person does.
            state = TelemetryScenarioState(source: .host)
        } else if let decision = self.decision {
            state = decision
        } else {
            state = Self.byRule(on: scenarioName, in: context, at: date) ?? TelemetryScenarioState()
        }
    }

    /// The decision as far as the policy allows it now; nil where it does not count any more.
    private static func lasting(
        _ decision: TelemetryScenarioState, on scenarioName: String, in context: Context, at date: Date
    ) -> TelemetryScenarioState? {
        if decision.hasExpired(at: date) { return nil }
        var lasting = decision
        lasting.suspendedUntil = nil
        switch decision.source {
        // Version 1 knew no sources; what it turned on, somebody decided.
        case .registration: return decision.isEnabled ? lasting : nil
        case .host: return lasting
        case .rule where context.rules != nil: return nil
        case .viewer, .rule:
            guard decision.isEnabled else { return decision.source == .viewer ? lasting : nil }
            guard context.policy.allowsRemotely(scenarioName) else { return nil }
            lasting.level = min(lasting.level, context.policy.maximumLevel)
            return lasting
        }
    }

    /// The most verbose rule that applies; of several, the one that lasts longest, then the one whose identifier comes first.
    private static func byRule(on scenarioName: String, in context: Context, at date: Date) -> TelemetryScenarioState? {
        guard let clientId = context.clientId, context.policy.allowsRemotely(scenarioName) else { return nil }
        var best: TelemetryScenarioState?
        var bestId = ""
        for rule in context.rules ?? [] where rule.scenarioName == scenarioName {
            let level = min(rule.level, context.policy.maximumLevel)
            if let best {
                let (end, bestEnd) = (rule.expires ?? .distantFuture, best.expires ?? .distantFuture)
                let isBetter =
                    level != best.level ? level > best.level : end != bestEnd ? end > bestEnd : rule.ruleId < bestId
                guard isBetter else { continue }
            }
            guard rule.applies(to: clientId, attributes: context.attributes, at: date) else { continue }
            best = TelemetryScenarioState(isEnabled: true, level: level, expires: rule.expires, source: .rule(rule.ruleId))
            bestId = rule.ruleId
        }
        return best
    }
}
