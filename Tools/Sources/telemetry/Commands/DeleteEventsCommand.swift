import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct DeleteEventsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-events",
        abstract: "Make a client delete its events, including those not yet sent, or delete stored events.",
        usage: """
            telemetry delete-events CLIENT [options]
            telemetry delete-events --stored [--where QUERY] [filters] [options]
            """,
        discussion: """
            With --stored, the events are deleted from the store without a command to their clients.

            Examples:
              telemetry delete-events k7wq --dry-run
              telemetry delete-events --stored --where 'user:=4711' --dry-run
              telemetry delete-events --stored --client 'web-*' --until 30d
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var confirm: ConfirmOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String?

    @Flag(help: "Delete events from the store: those of CLIENT, those that all filters match, or both.")
    var stored = false

    @OptionGroup(title: "Filters, with --stored") var filter: FilterOptions

    func validate() throws {
        let hasFilter = filter.isNarrow || !filter.selection.client.isEmpty || filter.session != nil
        if stored {
            guard hasFilter || client != nil else {
                throw ValidationError("Say which events: a client, or a filter. For all events: --stored --where '*'")
            }
            guard client == nil || filter.selection.client.isEmpty else {
                throw ValidationError("Use CLIENT or --client, not both.")
            }
        } else {
            guard client != nil else { throw ValidationError("Missing expected argument '<client>'") }
            guard !hasFilter else {
                throw ValidationError("A client deletes all its events; to delete some from the store, add --stored.")
            }
        }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        if stored {
            try await deleteStored(over: transport, console)
        } else if let client {
            try await command(client, over: transport, console)
        }
    }

    private func command(_ client: String, over transport: any TelemetryTransporting, _ console: Console) async throws {
        let client = try await store.resolver(over: transport).client(client)
        let name = client.clientId.visible
        let count = try await transport.countEvents(matching: .init(clientId: client.clientId))
        guard try confirm.allows("delete \(counted(count, "event")) of client \(name)", console) else { return }
        try await waiting.send(
            TelemetryCommandRecord(clientId: client.clientId, action: .deleteEvents), over: transport, to: console,
            done: "Client \(name) deleted its events.")
    }

    private func deleteStored(over transport: any TelemetryTransporting, _ console: Console) async throws {
        var filter = filter
        if let client { filter.selection.client = [client] }
        let criteria = try await filter.resolved(over: transport, in: store)
        // A filter has one client.
        let filters = criteria.clients.map { clients in
            clients.sorted().map { client in
                var filter = criteria.filter
                filter.clientId = client
                return filter
            }
        }
        var count = 0
        for filter in filters ?? [criteria.filter] { count += try await transport.countEvents(matching: filter) }
        guard try confirm.allows("delete \(counted(count, "stored event"))", console) else { return }
        var deleted = 0
        for filter in filters ?? [criteria.filter] { deleted += try await transport.deleteEvents(matching: filter) }
        console.line("\(console.style.green("✓")) Deleted \(counted(deleted, "stored event")).")
    }
}
