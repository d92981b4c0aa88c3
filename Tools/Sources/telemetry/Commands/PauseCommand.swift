import ArgumentParser
import TelemetryModels
import ViewerKit

struct PauseCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop a client from recording and sending until it is resumed.",
        usage: "telemetry pause CLIENT [options]",
        discussion: """
            Unsent events stay on the client. Its approval, scenarios and stored events do not change.

            Example: telemetry pause k7wq --directory /srv/telemetry
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    func perform(_ console: Console) async throws {
        try await Self.send(.pause, to: client, in: store, waiting, console) { "Client \($0) is paused." }
    }

    static func send(
        _ action: TelemetrySchema.CommandAction, to client: String, in store: StoreOptions, _ waiting: WaitOptions,
        _ console: Console, done: (String) -> String
    ) async throws {
        let transport = try store.open(console)
        let found = try await store.resolver(over: transport).client(client)
        try await waiting.send(
            TelemetryCommandRecord(clientId: found.clientId, action: action), over: transport, to: console,
            done: done(found.clientId.visible))
    }
}

struct ResumeCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a paused client, unless the app itself paused it.",
        usage: "telemetry resume CLIENT [options]",
        discussion: "Example: telemetry resume k7wq --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    func perform(_ console: Console) async throws {
        try await PauseCommand.send(.resume, to: client, in: store, waiting, console) { "Client \($0) is resumed." }
    }
}
