import ArgumentParser
import TelemetryModels
import ViewerKit

struct ResetCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Discard the decision on a scenario: rules apply, otherwise it is disabled.",
        usage: "telemetry reset CLIENT SCENARIO [options]",
        discussion: "Example: telemetry reset k7wq FileRead --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    @Argument(help: "The name of one of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String

    func perform(_ console: Console) async throws {
        try await ScenarioChange(client: client, scenario: scenario, action: .resetScenario).send(in: store, waiting, console)
    }
}
