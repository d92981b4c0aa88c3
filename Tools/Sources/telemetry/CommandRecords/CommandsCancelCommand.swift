import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct CommandsCancelCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Delete commands that no client has executed.",
        usage: """
            telemetry commands cancel COMMAND ... [options]
            telemetry commands cancel --client CLIENT --pending [options]
            """,
        discussion: """
            Only pending commands are deleted. A client that is executing a command at this moment may still finish it. A relay \
            requires a token with the role viewer; with the role reader it refuses the request.

            Examples:
              telemetry commands cancel 3F2A
              telemetry commands cancel --client k7wq --pending --yes
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var confirm: ConfirmOptions

    @Option(help: "All pending commands of this client; requires --pending.", completion: Completions.clients)
    var client: String?

    @Flag(help: "With --client: all its pending commands.")
    var pending = false

    @Argument(help: "The identifiers of commands, or unambiguous prefixes of them.")
    var commands: [String] = []

    func validate() throws {
        guard (client != nil) == commands.isEmpty else {
            throw ValidationError("Give the identifiers of commands, or --client CLIENT --pending.")
        }
        guard (client != nil) == pending else { throw ValidationError("Give --client CLIENT and --pending together.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let found = try await selected(transport)
        guard !found.isEmpty else { return console.note("No pending commands.") }
        let aliases = try store.aliases()
        let names = Set(found.map { aliases.label(of: $0.clientId) }).sorted().joined(separator: ", ")
        guard try confirm.allows("delete \(counted(found.count, "pending command")) of client \(names.visible)", console) else {
            return
        }
        var cancelled = 0
        for command in found {
            guard let id = command.recordID else { continue }
            // The client may have answered while the confirmation was shown.
            guard let current = try await transport.fetchCommand(recordID: id), current.status == .pending else {
                console.note("Command \(command.commandId.visible) is not pending any more; it was not deleted.")
                continue
            }
            cancelled += try await transport.deleteRecords(withIDs: [id])
        }
        console.line("\(console.style.green("✓")) Cancelled \(counted(cancelled, "command")).")
    }

    private func selected(_ transport: any TelemetryTransporting) async throws -> [TelemetryCommandRecord] {
        if let client {
            let clientId = try await store.resolver(over: transport).identifier(client)
            return try await transport.fetchCommands(for: clientId, status: .pending)
        }
        let all = try await transport.fetchCommands()
        var found: [String: TelemetryCommandRecord] = [:]
        for text in commands {
            let command = try Self.command(text, of: all)
            found[command.commandId] = command
        }
        return found.values.sorted { ($0.created, $0.commandId) < ($1.created, $1.commandId) }
    }

    private static func command(_ text: String, of all: [TelemetryCommandRecord]) throws -> TelemetryCommandRecord {
        let name = "\"\(text.visible.fitted(to: 80))\""
        let exact = all.filter { $0.commandId == text }
        let matching = exact.isEmpty ? all.filter { !text.isEmpty && $0.commandId.hasPrefix(text) } : exact
        guard let command = matching.first else {
            throw ToolFailure(.notFound, "No command \(name); see: telemetry commands --pending")
        }
        guard matching.count == 1 else {
            throw ToolFailure(.notFound, "\(name) is ambiguous: it matches \(matching.count) commands. Give a longer prefix.")
        }
        guard command.status == .pending else {
            throw ToolFailure(
                .data,
                "Command \(name) is not pending: its status is \(command.status.rawValue). Only pending commands are cancelled.")
        }
        return command
    }
}
