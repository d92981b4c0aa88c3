import ArgumentParser

struct RuleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule",
        abstract: "Enable a scenario on every approved client that a rule applies to, or make these act on events.",
        discussion: """
            Each client evaluates the rules. A decision of the app or of a viewer on a scenario takes precedence over rules.

            Examples:
              telemetry rule add FileRead --where 'appVersion>=2.1' --where 'deviceModel in A,B' --sample 10% --for 2h
              telemetry rule add Checkout --when 'severity:>=error' --capture 5m --limit 1/1h
              telemetry rule test Checkout --when 'severity:>=error' --since 1d
              telemetry rule list
              telemetry rule change 3F2A --sample 100%
              telemetry rule remove 3F2A
            """,
        subcommands: [
            RuleAddCommand.self, RuleListCommand.self, RuleTestCommand.self, RuleChangeCommand.self, RuleRemoveCommand.self,
        ])
}
