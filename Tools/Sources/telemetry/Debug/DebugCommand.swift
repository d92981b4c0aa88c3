import ArgumentParser

/// Commands for the entries that debug builds sent to a relay.
struct DebugCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug", abstract: "Search the entries that debug builds sent to the relay.",
        discussion: "Example: telemetry debug search --text timeout --since 2026-11-21T14:00:00Z",
        subcommands: [DebugSearchCommand.self, DebugTailCommand.self])
}
