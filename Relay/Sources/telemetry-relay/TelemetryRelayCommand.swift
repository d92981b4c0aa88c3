public import ArgumentParser
public import Logging

@main
struct TelemetryRelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry-relay",
        abstract: "Carries telemetry and debug logs between apps and those who run them.",
        discussion: """
            Each option can be set in the environment as well: TELEMETRY_RELAY_PORT=9000. A token is never an option, since \
            others see a command's options: TELEMETRY_RELAY_TOKEN, or a file.
            """,
        subcommands: [ServeCommand.self, TokenCommand.self],
        defaultSubcommand: ServeCommand.self)
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
