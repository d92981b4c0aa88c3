import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

struct CaptureCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Request the last events of a disabled scenario from the client's flight recorder.",
        usage: "telemetry capture CLIENT SCENARIO [options]",
        discussion: """
            The app decides which scenarios its flight recorder keeps. Events that were captured before are not sent again. Captured \
            events have the attribute telemetry.captured.

            Examples:
              telemetry capture k7wq FileRead --directory /srv/telemetry
              telemetry capture k7wq FileRead --last 5m --directory /srv/telemetry
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions

    @Option(help: "The maximum age of the events: 90s, 5m; by default all that the client has kept.")
    var last: String?

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    @Argument(help: "The name of one of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String

    func validate() throws { _ = try lookback() }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let resolver = try store.resolver(over: transport)
        let client = try await resolver.client(client)
        // The flight recorder may keep scenarios that are not registered, so the client answers whether it knows this one.
        let command = TelemetryCommandRecord(
            clientId: client.clientId, action: .captureScenario, scenarioName: scenario, lookback: try lookback())
        try await waiting.send(
            command, over: transport, to: console,
            done: "\(scenario.visible) on client \(client.clientId.visible):")
    }

    /// In seconds; nil for all events.
    private func lookback() throws -> TimeInterval? {
        guard let last else { return nil }
        guard let seconds = DurationText.seconds(last), seconds > 0 else {
            throw ValidationError("--last \"\(last)\" is not a valid duration. Examples: 90s, 5m.")
        }
        return seconds
    }
}
