import ArgumentParser
import Foundation
import ViewerKit

struct ContextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Name stores, and choose the one that commands use.",
        discussion: """
            A command takes its store from --directory or --relay, then from --context, then from the environment \
            (\(StoreChoice.directoryVariable), then \(ContextStore.variable)), then from the current context. Contexts are stored \
            in $XDG_CONFIG_HOME/live-telemetry, by default ~/.config/live-telemetry, readable only by you.

            Examples:
              telemetry context add prod --relay https://relay.example.com --token-file ~/.config/relay-token
              telemetry context use prod
              telemetry clients --context prod
            """,
        subcommands: [
            ContextAddCommand.self, ContextUseCommand.self, ContextListCommand.self, ContextShowCommand.self,
            ContextRemoveCommand.self,
        ])
}

extension ContextStore {
    /// The contexts of the user who runs the tool.
    static var own: ContextStore { ContextStore(environment: ProcessInfo.processInfo.environment) }
}
