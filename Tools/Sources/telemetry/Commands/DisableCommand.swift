import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DisableCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Disable a scenario; without a scenario, end the client's telemetry.",
        usage: """
            telemetry disable CLIENT [SCENARIO] [options]
            telemetry disable --all | --where CONDITION ... [SCENARIO] [options]
            """,
        discussion: """
            Without a scenario, the client discards its approval and deletes its record, scenarios and events. Its user can \
            opt in again. This asks for confirmation.

            With --all or --where the clients are named, and confirmed.

            Examples:
              telemetry disable k7wq FileRead --directory /srv/telemetry
              telemetry disable k7wq --dry-run
              telemetry disable k7wq --yes
              telemetry disable --all FileRead --yes
            """)

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
        let target = try group.assign(client, scenario)
        if target.client != nil, target.rest != nil, group.confirm.dryRun {
            throw ValidationError("--dry-run cannot be used with a scenario, because disabling a scenario deletes nothing.")
        }
    }

    func perform(_ console: Console) async throws {
        let target = try group.assign(client, scenario)
        guard let client = target.client else {
            let command = GroupCommand(action: target.rest == nil ? .disable : .disableScenario, scenario: target.rest)
            try await command.send(to: group, in: store, waiting, console)
            return
        }
        if let scenario = target.rest {
            let change = ScenarioChange(client: client, scenario: scenario, action: .disableScenario)
            try await change.send(in: store, waiting, console)
            return
        }
        let transport = try store.open(console)
        let found = try await store.resolver(over: transport).client(client)
        let scenarios = try await transport.fetchScenarios(forClient: found.clientId).count
        let events = try await transport.countEvents(matching: .init(clientId: found.clientId))
        let what =
            "end the telemetry of client \(found.clientId.visible) and delete its \(counted(scenarios, "scenario")) "
            + "and \(counted(events, "event"))"
        guard try group.confirm.allows(what, console) else { return }
        try await waiting.send(
            TelemetryCommandRecord(clientId: found.clientId, action: .disable), over: transport, to: console,
            done: "Client \(found.clientId.visible) stopped its telemetry and deleted its data.")
    }
}
