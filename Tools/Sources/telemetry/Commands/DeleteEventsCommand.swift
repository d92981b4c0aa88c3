import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DeleteEventsCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-events", abstract: "Have a client delete its events, those that still wait with it too.",
        usage: "telemetry delete-events CLIENT [options]",
        discussion: "Example: telemetry delete-events k7wq --dry-run")

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var confirm: ConfirmOptions

    @Argument(help: "A client, or the beginning of its identifier.", completion: Completions.clients)
    var client: String

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let client = try await ClientResolver(transport: transport).client(client)
        let name = client.clientId.visible
        let count = try await transport.countEvents(matching: .init(clientId: client.clientId))
        guard try confirm.allows("delete \(counted(count, "event")) of the client \(name)", console) else { return }
        try await waiting.send(
            TelemetryCommandRecord(clientId: client.clientId, action: .deleteEvents), over: transport, to: console,
            done: "The client \(name) has deleted its events.")
    }
}
