import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct RuleListCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rules: how many clients each applies to, and how many follow it.",
        discussion: """
            A rule applies to the approved clients that meet its conditions according to their records. A client that was \
            disconnected follows once it is connected, unless the app or a viewer decided on the scenario. A rule with a trigger is \
            followed while it enables its scenario.

            Example: telemetry rule list --directory /srv/telemetry
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let rules = try await transport.fetchRules()
        guard !rules.isEmpty else { return console.note("No rules. Add one: telemetry rule add SCENARIO") }
        let clients = try await transport.fetchTelemetryClients()
        let followers = try await transport.fetchScenarios().reduce(into: [String: Int]()) { counts, scenario in
            if case .rule(let ruleId) = scenario.source, scenario.isEnabled { counts[ruleId, default: 0] += 1 }
        }
        let now = Date.now
        let counted = rules.map { rule in
            CountedRule(
                rule: rule, applicable: rule.applicableCount(among: clients, now: now), followers: followers[rule.ruleId] ?? 0)
        }
        output.print(
            counted.map { JSONLine($0.rule, applicable: $0.applicable, followers: $0.followers) },
            table(of: counted, now: now, console), console)
        if output.format == .table, counted.contains(where: { $0.applicable == nil }) {
            console.note("–: the rule uses an attribute that only clients know, so the viewer cannot count the clients.")
        }
        if output.format == .table, rules.contains(where: { !$0.isReadable }) {
            console.note(
                "unreadable: the rule has values that this version cannot read, so it applies to no client of this version.")
        }
    }

    private struct CountedRule {
        let rule: TelemetryRuleRecord
        let applicable: Int?
        let followers: Int
    }

    private func table(of rules: [CountedRule], now: Date, _ console: Console) -> Table {
        var table = Table([
            .text("rule", priority: 9), .text("scenario", priority: 8), .whole("level", priority: 3),
            .number("sample", priority: 4), .whole("time left", priority: 6), .number("applies to", priority: 5),
            .number("followed by", priority: 5), .text("issuer", priority: 2), .text("trigger", priority: 7),
            .text("conditions", priority: 7),
        ])
        for entry in rules {
            let rule = entry.rule
            table.add([
                .init(rule.ruleId), .init(rule.scenarioName, look: console.style.tinted), .init(rule.level.rawValue),
                .init(share(of: rule)), .init(timeLeft(of: rule, now: now)),
                .init(entry.applicable.map(\.grouped) ?? "–"), .init(entry.followers.grouped), .init(rule.issuer ?? "–"),
                .init(rule.trigger.map(TriggerText.string) ?? "–"),
                .init(conditions(of: rule)),
            ])
        }
        return table
    }

    private func conditions(of rule: TelemetryRuleRecord) -> String {
        var conditions: [String] = []
        if !rule.conditions.isEmpty { conditions.append(RuleConditionText.string(rule.conditions)) }
        if !rule.contextConditions.isEmpty { conditions.append("only" + rule.contextConditions.phrase) }
        return conditions.isEmpty ? "–" : conditions.joined(separator: ", ")
    }

    private func share(of rule: TelemetryRuleRecord) -> String {
        Int(exactly: rule.percentage).map { "\($0)%" } ?? "\(rule.percentage)%"
    }

    private func timeLeft(of rule: TelemetryRuleRecord, now: Date) -> String {
        guard rule.isReadable else { return "unreadable" }
        return rule.isEnabled ? ScenarioText.timeLeft(until: rule.expires, now: now) : "disabled"
    }
}
