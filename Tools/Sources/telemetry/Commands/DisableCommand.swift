import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DisableCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Disable a scenario; without a scenario, end the client's telemetry.",
        usage: "telemetry disable CLIENT [SCENARIO] [options]",
        discussion: """
            Without a scenario, the client discards its approval and deletes its record, scenarios and events. Its user can \
            opt in again. This asks for confirmation.

            Examples:
              telemetry disable k7wq FileRead --directory /srv/telemetry
              telemetry disable k7wq --dry-run
              telemetry disable k7wq --yes
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var confirm: ConfirmOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    @Argument(help: "The name of one of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String?

    func validate() throws {
        if scenario != nil, confirm.dryRun {
            throw ValidationError("--dry-run cannot be used with a scenario, because disabling a scenario deletes nothing.")
        }
    }

    func perform(_ console: Console) async throws {
        if let scenario {
            let change = ScenarioChange(client: client, scenario: scenario, action: .disableScenario)
            return try await change.send(in: store, waiting, console)
        }
        let transport = try store.open(console)
        let found = try await store.resolver(over: transport).client(client)
        let scenarios = try await transport.fetchScenarios(forClient: found.clientId).count
        let events = try await transport.countEvents(matching: .init(clientId: found.clientId))
        let what =
            "end the telemetry of client \(found.clientId.visible) and delete its \(counted(scenarios, "scenario")) "
            + "and \(counted(events, "event"))"
        guard try confirm.allows(what, console) else { return }
        try await waiting.send(
            TelemetryCommandRecord(clientId: found.clientId, action: .disable), over: transport, to: console,
            done: "Client \(found.clientId.visible) stopped its telemetry and deleted its data.")
    }
}
