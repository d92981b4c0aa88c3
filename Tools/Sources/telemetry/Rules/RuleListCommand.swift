import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct RuleListCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rules and how many clients follow each.",
        discussion: "Example: telemetry rule list --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let rules = try await transport.fetchRules()
        guard !rules.isEmpty else { return console.note("No rules. Add one: telemetry rule add SCENARIO") }
        let scenarios = try await transport.fetchScenarios()
        func followers(_ rule: TelemetryRuleRecord) -> Int {
            scenarios.count { $0.isEnabled && $0.source == .rule(rule.ruleId) }
        }
        let followed = rules.map { (rule: $0, followers: followers($0)) }
        output.print(followed.map { JSONLine($0.rule, followers: $0.followers) }, table(of: followed, console), console)
    }

    private func table(of rules: [(rule: TelemetryRuleRecord, followers: Int)], _ console: Console) -> Table {
        let now = Date.now
        var table = Table([
            .text("rule", priority: 9), .text("scenario", priority: 8), .whole("level", priority: 3),
            .number("sample", priority: 4), .whole("time left", priority: 6), .number("clients", priority: 5),
            .text("conditions", priority: 7),
        ])
        for (rule, followers) in rules {
            table.add([
                .init(rule.ruleId), .init(rule.scenarioName, look: console.style.tinted), .init(rule.level.rawValue),
                .init(share(of: rule)), .init(timeLeft(of: rule, now: now)), .init("\(followers)"),
                .init(rule.conditions.isEmpty ? "–" : rule.conditions.map(RuleConditionText.string).joined(separator: " and ")),
            ])
        }
        return table
    }

    private func share(of rule: TelemetryRuleRecord) -> String {
        Int(exactly: rule.percentage).map { "\($0)%" } ?? "\(rule.percentage)%"
    }

    private func timeLeft(of rule: TelemetryRuleRecord, now: Date) -> String {
        rule.isEnabled ? ScenarioText.timeLeft(until: rule.expires, now: now) : "disabled"
    }
}
