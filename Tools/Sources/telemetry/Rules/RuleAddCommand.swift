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
            that the app adds. All conditions must match. --context with a condition, such as user=4711, limits the scenario to what \
            the app's code works on.

            With --when, the rule does not enable the scenario. Each client it applies to looks at the events that it records and those \
            that its flight recorder keeps. Once enough of them match, it acts by itself, also while the store cannot be reached. \
            --for is how long the rule applies.

            Examples:
              telemetry rule add FileRead --where 'appVersion>=2.1' --sample 10% --level info --for 2h
              telemetry rule add Checkout --context user=4711 --for 1d
              telemetry rule add Checkout --when 'severity:>=error' --capture 5m --limit 1/1h
              telemetry rule add Checkout --when 'name:=retry' --count 3 --within 1m --enable 10m
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var lease: LeaseOptions
    @OptionGroup var issuer: IssuerOptions

    @Argument(help: "The name of a scenario.", completion: Completions.scenarios)
    var scenario: String

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var trigger: TriggerOptions

    @Option(help: "The share of the clients that the rule applies to, in percent.")
    var sample = "100%"

    var store: StoreOptions { options.withoutConditions }

    func validate() throws {
        try options.validateConditions()
        _ = try SampleText.percentage(sample)
        if case .capture? = try trigger.trigger()?.action, !options.conditions.isEmpty {
            throw ValidationError("--capture and --context exclude each other: what the flight recorder kept has no context.")
        }
        if scenario.isEmpty { throw ValidationError("The name of the scenario is empty.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let now = Date.now
        let aliases = try store.aliases()
        let conditions = try self.conditions.parsed().map { $0.resolving(aliases) }
        let rule = try await transport.createRule(
            TelemetryRuleRecord(
                scenarioName: scenario, level: lease.level?.level ?? .diagnostic, conditions: conditions,
                percentage: try SampleText.percentage(sample), created: now, expires: try lease.seconds().map { now + $0 },
                issuer: issuer.name, trigger: try trigger.trigger(), contextConditions: options.conditions))
        console.line("\(console.style.green("✓")) Added rule \(rule.ruleId.visible) for \(scenario.visible).")
        if lease.duration == nil { console.note("Without --for the rule applies until it is removed.") }
    }
}
