import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct RuleAddCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a rule.", usage: "telemetry rule add SCENARIO [options]",
        discussion: """
            Clients have the attributes clientId, appVersion, osVersion, deviceType, deviceModel and libraryVersion, and those \
            that the app adds. All conditions must match.

            Example: telemetry rule add FileRead --where 'appVersion>=2.1' --sample 10% --level info --for 2h
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var lease: LeaseOptions

    @Argument(help: "The name of a scenario.", completion: Completions.scenarios)
    var scenario: String

    @Option(name: .customLong("where"), help: "A condition, such as 'appVersion>=2.1' or 'deviceModel in A,B'; may be repeated.")
    var conditions: [String] = []

    @Option(help: "The share of the clients that the rule applies to, in percent.")
    var sample = "100%"

    func validate() throws {
        _ = try parsedConditions()
        _ = try percentage()
        if scenario.isEmpty { throw ValidationError("The name of the scenario is empty.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let now = Date.now
        let rule = try await transport.createRule(
            TelemetryRuleRecord(
                scenarioName: scenario, level: lease.level?.level ?? .diagnostic, conditions: try parsedConditions(),
                percentage: try percentage(), created: now, expires: try lease.seconds().map { now + $0 }))
        console.line("\(console.style.green("✓")) Added rule \(rule.ruleId.visible) for \(scenario.visible).")
        if lease.duration == nil { console.note("Without --for the rule applies until it is removed.") }
    }

    private func parsedConditions() throws -> [TelemetryRuleCondition] {
        try conditions.map { text in
            guard let condition = RuleConditionText.condition(text) else {
                throw ValidationError("--where \"\(text)\" is not a valid condition. Conditions: \(RuleConditionText.forms).")
            }
            return condition
        }
    }

    private func percentage() throws -> Double {
        let number = sample.hasSuffix("%") ? sample.dropLast() : sample[...]
        guard let value = Double(number), value > 0, value <= 100 else {
            throw ValidationError("--sample \"\(sample)\" is not a valid share. Examples: 10%, 0.5%.")
        }
        return value
    }
}
