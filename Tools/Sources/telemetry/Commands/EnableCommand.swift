import ArgumentParser
import ViewerKit

struct EnableCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enable a scenario; without a scenario, approve the client.",
        usage: "telemetry enable CLIENT [SCENARIO] [options]",
        discussion: "Example: telemetry enable k7wq FileRead --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "A client's identifier, or an unambiguous prefix of it.", completion: Completions.clients)
    var client: String

    @Argument(help: "The name of one of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String?

    func perform(_ console: Console) async throws {
        guard let scenario else { return try await ApproveCommand.approve(client, in: store, waiting, console) }
        try await ScenarioSwitch(client: client, scenario: scenario, isOn: true).send(in: store, waiting, console)
    }
}
