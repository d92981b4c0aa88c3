import ArgumentParser

struct CommandsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commands", abstract: "List the commands sent to clients and their results; cancel pending ones.",
        discussion: """
            Without a subcommand the commands are listed.

            Examples:
              telemetry commands --pending --client k7wq
              telemetry commands cancel 3F2A
            """,
        subcommands: [CommandsListCommand.self, CommandsCancelCommand.self], defaultSubcommand: CommandsListCommand.self)
}
