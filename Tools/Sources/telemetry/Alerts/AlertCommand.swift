import ArgumentParser
import ViewerKit

struct AlertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert",
        abstract: "Let a relay send a message to a webhook: for events that a query matches, or for a client that is silent.",
        discussion: """
            Requires a relay. Its operator adds webhooks with telemetry-relay webhook add.

            Examples:
              telemetry alert add declined --where 'scenario:Checkout "card declined"' --count 5 --within 10m --webhook ops
              telemetry alert add down --silence 10m --clients 'till-*' --webhook ops
              telemetry alert list
              telemetry alert test declined
              telemetry alert remove declined
            """,
        subcommands: [AlertAddCommand.self, AlertListCommand.self, AlertTestCommand.self, AlertRemoveCommand.self])
}

extension StoreOptions {
    /// The alerts of the relay that the options select.
    func alerts() throws -> RelayAlerts {
        let location = try located()
        guard let relay = location.relay else {
            throw ToolFailure(
                .data,
                "\(location.name.visible) is a directory. Only a relay has alerts: use --relay URL, or a relay's context.")
        }
        return RelayAlerts(relay)
    }
}
