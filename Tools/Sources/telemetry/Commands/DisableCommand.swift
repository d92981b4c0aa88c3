import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DisableCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Turn a client's scenario off; without a scenario, end the client's telemetry.",
        usage: "telemetry disable CLIENT [SCENARIO] [options]",
        discussion: """
            Without a scenario the client forgets its approval and deletes what it sent: its record, scenarios and events. \
            Its user can ask again. That asks first.

            Examples:
              telemetry disable k7wq FileRead --directory /srv/telemetry
              telemetry disable k7wq --dry-run
              telemetry disable k7wq --yes
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var confirm: ConfirmOptions

    @Argument(help: "A client, or the beginning of its identifier.", completion: Completions.clients)
    var client: String

    @Argument(help: "One of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String?

    func validate() throws {
        if scenario != nil, confirm.dryRun {
            throw ValidationError("--dry-run goes without a scenario: turning one off deletes nothing.")
        }
    }

    func perform(_ console: Console) async throws {
        if let scenario {
            return try await ScenarioSwitch(client: client, scenario: scenario, isOn: false).send(in: store, waiting, console)
        }
        let transport = try store.open(console)
        let found = try await ClientResolver(transport: transport).client(client)
        let scenarios = try await transport.fetchScenarios(forClient: found.clientId).count
        let events = try await transport.countEvents(matching: .init(clientId: found.clientId))
        let what =
            "end the telemetry of the client \(found.clientId.visible) and delete its \(counted(scenarios, "scenario")) "
            + "and \(counted(events, "event"))"
        guard try confirm.allows(what, console) else { return }
        try await waiting.send(
            TelemetryCommandRecord(clientId: found.clientId, action: .disable), over: transport, to: console,
            done: "The client \(found.clientId.visible) sends nothing any more and has deleted what it sent.")
    }
}
