import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct ForgetCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete all stored data of a client that will not return.",
        usage: "telemetry forget CLIENT [options]",
        discussion: """
            Deletes the client's record, scenarios, commands and events from the store without a command to the client. If \
            the client does return, it finds its record missing and disables its telemetry.

            Example: telemetry forget k7wq --dry-run
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var confirm: ConfirmOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let id = try await store.resolver(over: transport).identifier(client)
        let client = try await transport.fetchTelemetryClients(clientId: id).first
        let commands = try await transport.records(
            matching: .init(
                recordType: TelemetrySchema.commandRecordType,
                conditions: [TelemetrySchema.CommandField.clientId.rawValue: .string(id)]))
        let scenarios = try await transport.fetchScenarios(forClient: id).count
        let events = try await transport.countEvents(matching: .init(clientId: id))
        let what =
            "delete client \(id.visible) with \(counted(scenarios, "scenario")), \(counted(commands.count, "command")) "
            + "and \(counted(events, "event"))"
        guard try confirm.allows(what, console) else { return }
        // The record is deleted first, so that a client that is still running stops before it sends more events.
        if let record = client?.recordID { try await transport.deleteTelemetryClient(recordID: record) }
        try await transport.deleteScenarios(forClient: id)
        try await transport.deleteAllCommands(for: id)
        let deleted = try await transport.deleteEvents(forClient: id)
        console.line("\(console.style.green("✓")) Deleted client \(id.visible) and \(counted(deleted, "event")).")
    }
}
