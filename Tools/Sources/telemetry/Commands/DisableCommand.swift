import ArgumentParser
import TelemetryModels
import ViewerKit

struct DisableCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Turn a client's scenario off; without a scenario, end the client's telemetry.",
        discussion: """
            Without a scenario the client forgets its approval and deletes what it sent: its record, scenarios and events. \
            Its user can ask again.

            Example: telemetry disable k7wq FileRead --directory /srv/telemetry
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "A client, or the beginning of its identifier.", completion: Completions.clients)
    var client: String

    @Argument(help: "One of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String?

    func perform(_ console: Console) async throws {
        if let scenario {
            return try await ScenarioSwitch(client: client, scenario: scenario, isOn: false).send(in: store, waiting, console)
        }
        let transport = try store.open(console)
        let found = try await ClientResolver(transport: transport).client(client)
        try await waiting.send(
            TelemetryCommandRecord(clientId: found.clientId, action: .disable), over: transport, to: console,
            done: "The client \(found.clientId.visible) sends nothing any more and has deleted what it sent.")
    }
}
