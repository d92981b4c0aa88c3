import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct RuleRemoveCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a rule; clients that follow it disable its scenario.",
        usage: "telemetry rule remove RULE [options]",
        discussion: "Example: telemetry rule remove 3F2A --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions

    @Argument(help: "A rule's identifier, or an unambiguous prefix of it.")
    var rule: String

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let rules = try await transport.fetchRules()
        let exact = rules.filter { $0.ruleId == rule }
        let found = exact.isEmpty ? rules.filter { !rule.isEmpty && $0.ruleId.hasPrefix(rule) } : exact
        let name = "\"\(rule.visible.fitted(to: 80))\""
        guard let match = found.first, let id = match.recordID else {
            throw ToolFailure(.notFound, "No rule \(name); see: telemetry rule list")
        }
        guard found.count == 1 else {
            throw ToolFailure(.notFound, "\(name) is ambiguous: it matches \(found.count) rules. Give a longer prefix.")
        }
        try await transport.deleteRule(recordID: id)
        console.line(
            "\(console.style.green("✓")) Removed rule \(match.ruleId.visible) for \(match.scenarioName.visible).")
    }
}
