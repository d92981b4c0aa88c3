import ArgumentParser
import TelemetryModels
import ViewerKit

struct ResetCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Discard the decision on a scenario: rules apply, otherwise it is disabled.",
        usage: """
            telemetry reset CLIENT SCENARIO [options]
            telemetry reset --all | --where CONDITION ... SCENARIO [options]
            """,
        discussion: "Example: telemetry reset k7wq FileRead --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var group: ClientGroupOptions

    @Argument(
        help: "A client's identifier, an unambiguous prefix of it, or its alias; none with --all or --where.",
        completion: Completions.clients)
    var client: String?

    @Argument(help: "The name of one of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String?

    func validate() throws {
        try group.rejectConfirmation()
        if try group.assign(client, scenario).rest == nil { throw ValidationError("Give SCENARIO.") }
    }

    func perform(_ console: Console) async throws {
        let target = try group.assign(client, scenario)
        guard let client = target.client, let scenario = target.rest else {
            try await GroupCommand(action: .resetScenario, scenario: target.rest).send(to: group, in: store, waiting, console)
            return
        }
        try await ScenarioChange(client: client, scenario: scenario, action: .resetScenario).send(in: store, waiting, console)
    }
}
