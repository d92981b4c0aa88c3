import ArgumentParser
import TelemetryModels
import ViewerKit

struct ApproveCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Approve a client; same as 'enable CLIENT'.",
        usage: "telemetry approve CLIENT [options]",
        discussion: "Example: telemetry approve k7wq --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    func perform(_ console: Console) async throws {
        try await Self.approve(client, in: store, waiting, console)
    }

    static func approve(
        _ client: String, in store: StoreOptions, _ waiting: WaitOptions, _ console: Console
    ) async throws {
        let transport = try store.open(console)
        let found = try await store.resolver(over: transport).client(client)
        try await waiting.send(
            TelemetryCommandRecord(clientId: found.clientId, action: .enable), over: transport, to: console,
            done: "Client \(found.clientId.visible) is approved.")
    }
}
