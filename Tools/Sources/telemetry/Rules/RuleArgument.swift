import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The rule that a command is about.
struct RuleArgument: ParsableArguments {
    @Argument(help: "A rule's identifier, or an unambiguous prefix of it.", completion: Completions.rules)
    var rule: String

    func find(in transport: any TelemetryTransporting) async throws -> TelemetryRuleRecord {
        try await Self.find(rule, in: transport)
    }

    /// - Throws: `ToolFailure` if no rule or several rules match.
    static func find(_ rule: String, in transport: any TelemetryTransporting) async throws -> TelemetryRuleRecord {
        let rules = try await transport.fetchRules()
        let exact = rules.filter { $0.ruleId == rule }
        let found = exact.isEmpty ? rules.filter { !rule.isEmpty && $0.ruleId.hasPrefix(rule) } : exact
        let name = "\"\(rule.visible.fitted(to: 80))\""
        guard let match = found.first else { throw ToolFailure(.notFound, "No rule \(name); see: telemetry rule list") }
        guard found.count == 1 else {
            throw ToolFailure(.notFound, "\(name) is ambiguous: it matches \(found.count) rules. Give a longer prefix.")
        }
        return match
    }
}
