import ArgumentParser

/// What debug builds logged, as the relay keeps it.
struct DebugCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug", abstract: "Search what debug builds sent to the relay.",
        subcommands: [DebugSearchCommand.self, DebugTailCommand.self])
}
