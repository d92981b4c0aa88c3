public import ArgumentParser
public import Logging
import TelemetryModels

@main
struct TelemetryRelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry-relay",
        abstract: "Transfers telemetry and debug logs between apps and the people who run them.",
        discussion: """
            Each option can also be set in the environment: TELEMETRY_RELAY_PORT=9000. Pass a token in TELEMETRY_RELAY_TOKEN or \
            a file, because other users can read the options of a command.
            """,
        version: LiveTelemetryVersion.version,
        subcommands: [
            ServeCommand.self, TokenCommand.self, WebhookCommand.self, BackupCommand.self, RestoreCommand.self, CheckCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
