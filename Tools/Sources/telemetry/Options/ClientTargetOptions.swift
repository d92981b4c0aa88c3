import ArgumentParser
import TelemetryModels
import ViewerKit

/// The clients of a command without a scenario: one, or those that the options select.
struct ClientTargetOptions: ParsableArguments {
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var group: ClientGroupOptions

    @Argument(
        help: "A client's identifier, an unambiguous prefix of it, or its alias; none with --all or --where.",
        completion: Completions.clients)
    var client: String?

    func validate() throws {
        try group.rejectConfirmation()
        if try group.assign(client).rest != nil { throw ClientGroupOptions.isAmbiguous }
    }

    /// Sends a command to the clients.
    /// - Parameter done: Describes, for the identifier of the only client, that it executed the command.
    func send(
        _ action: TelemetrySchema.CommandAction, in store: StoreOptions, _ console: Console, done: (String) -> String
    ) async throws {
        guard let client else {
            try await GroupCommand(action: action).send(to: group, in: store, waiting, console)
            return
        }
        let transport = try store.open(console)
        let found = try await store.resolver(over: transport).client(client)
        try await waiting.send(
            TelemetryCommandRecord(clientId: found.clientId, action: action), over: transport, to: console,
            done: done(found.clientId.visible))
    }
}
