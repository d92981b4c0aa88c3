import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DeleteEventsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-events", abstract: "Make a client delete its events, including those not yet sent.",
        usage: "telemetry delete-events CLIENT [options]",
        discussion: "Example: telemetry delete-events k7wq --dry-run")

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var confirm: ConfirmOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let client = try await store.resolver(over: transport).client(client)
        let name = client.clientId.visible
        let count = try await transport.countEvents(matching: .init(clientId: client.clientId))
        guard try confirm.allows("delete \(counted(count, "event")) of client \(name)", console) else { return }
        try await waiting.send(
            TelemetryCommandRecord(clientId: client.clientId, action: .deleteEvents), over: transport, to: console,
            done: "Client \(name) deleted its events.")
    }
}
