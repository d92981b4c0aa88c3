import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct CommandsListCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the commands sent to clients and their results.",
        usage: "telemetry commands [options]",
        discussion: "Example: telemetry commands --pending --client k7wq")

    private static let shortLength = 8

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    @Option(name: .shortAndLong, help: "Only commands for this client.", completion: Completions.clients)
    var client: String?

    @Flag(help: "Only commands without an answer.")
    var pending = false

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        var clientId: String?
        if let client { clientId = try await store.resolver(over: transport).identifier(client) }
        let commands = try await transport.fetchCommands(for: clientId, status: pending ? .pending : nil)
        guard !commands.isEmpty else {
            console.note(pending ? "No pending commands." : "No commands yet. Send one with approve, enable or disable.")
            return
        }
        try output.print(commands.map { JSONLine($0) }, table(of: commands, try store.aliases(), console.style), console)
        if output.format == .table { explain(commands, console) }
    }

    /// Prints what to do about the statuses in the list.
    private func explain(_ commands: [TelemetryCommandRecord], _ console: Console) {
        let statuses = Set(commands.map(\.status))
        for status in TelemetrySchema.CommandStatus.allCases where statuses.contains(status) {
            if let advice = CommandText.advice(on: status) { console.note("\(status.rawValue): \(advice)") }
        }
    }

    private func table(of commands: [TelemetryCommandRecord], _ aliases: ClientAliases, _ style: Style) -> Table {
        var table = Table([
            .text("command", priority: 5), .whole("sent", priority: 3), .text("client", priority: 8),
            .text("action", priority: 7),
            .text("scenario", priority: 6), .whole("status", priority: 9), .text("issuer", priority: 2),
            .text("answer", priority: 4),
        ])
        let time = TimeText()
        let starts = Dictionary(grouping: commands) { String($0.commandId.prefix(Self.shortLength)) }.mapValues(\.count)
        for command in commands {
            table.add([
                .init(Self.short(command, of: starts)), .init(time.dayAndSecond(command.created)),
                .init(aliases.label(of: command.clientId)), .init(command.action.rawValue), .init(command.scenarioName ?? "–"),
                status(of: command, style), .init(command.issuer ?? "–"), .init(answer(of: command)),
            ])
        }
        return table
    }

    /// The start of the identifier if it selects the command, otherwise the whole identifier.
    private static func short(_ command: TelemetryCommandRecord, of all: [String: Int]) -> String {
        let start = String(command.commandId.prefix(shortLength))
        return all[start] == 1 ? start : command.commandId
    }

    private func status(of command: TelemetryCommandRecord, _ style: Style) -> Table.Cell {
        switch command.status {
        case .pending: .init("pending", look: style.yellow)
        case .executed: .init("executed", look: style.green)
        case .failed, .rejected, .expired: .init(command.status.rawValue, look: style.red)
        case .superseded: .init("superseded")
        }
    }

    private func answer(of command: TelemetryCommandRecord) -> String {
        if let message = command.errorMessage { return message }
        guard let executed = command.executedAt else { return "" }
        let delay = "after \(DurationText.string(seconds: max(0, executed.timeIntervalSince(command.created))))"
        return command.result.map { "\(delay); \($0)" } ?? delay
    }
}
