import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct CommandsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "commands", abstract: "List the commands sent to clients and their results.",
        usage: "telemetry commands [options]",
        discussion: "Example: telemetry commands --pending --client k7wq")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    @Option(help: "Only commands for this client.")
    var client: String?

    @Flag(help: "Only commands without an answer.")
    var pending = false

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        typealias Field = TelemetrySchema.CommandField
        var query = TelemetryRecordQuery(
            recordType: TelemetrySchema.commandRecordType, sortField: Field.created.rawValue)
        if let client {
            let found = try await ClientResolver(transport: transport).client(client)
            query.conditions[Field.clientId.rawValue] = .string(found.clientId)
        }
        let commands = try await transport.records(matching: query)
            .compactMap { try? TelemetryCommandRecord(record: $0) }
            .filter { !pending || $0.status == .pending }
        guard !commands.isEmpty else {
            console.note(pending ? "No pending commands." : "No commands yet. Send one with approve, enable or disable.")
            return
        }
        output.print(commands.map { JSONLine($0) }, table(of: commands, console), console)
    }

    private func table(of commands: [TelemetryCommandRecord], _ console: Console) -> Table {
        var table = Table([
            .whole("sent", priority: 3), .text("client", priority: 8), .text("action", priority: 7),
            .text("scenario", priority: 6), .whole("status", priority: 9), .text("answer", priority: 4),
        ])
        let time = TimeText()
        for command in commands {
            table.add([
                .init(time.dayAndSecond(command.created)), .init(command.clientId), .init(command.action.rawValue),
                .init(command.scenarioName ?? "–"), status(of: command, console.style), .init(answer(of: command)),
            ])
        }
        return table
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
