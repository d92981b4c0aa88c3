import ArgumentParser
import Foundation
import ViewerKit

struct ContextShowCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a context; by default the one in use.",
        usage: "telemetry context show [NAME] [options]",
        discussion: "Example: telemetry context show prod")

    @Option(help: "The format: table or json.")
    var format = ContextFormat.table

    @Argument(
        help: "The context. Default: \(ContextStore.variable), otherwise the current context.", completion: Completions.contexts)
    var name: String?

    func perform(_ console: Console) async throws {
        let store = ContextStore.own
        let known = try store.read()
        let variable = ProcessInfo.processInfo.environment[ContextStore.variable].flatMap { $0.isEmpty ? nil : $0 }
        guard let name = name ?? variable ?? known.current else {
            throw ToolFailure(.notFound, "No context is in use. Choose one: telemetry context use NAME")
        }
        let context = try store.context(named: name)
        let isCurrent = name == known.current
        if format == .json { return console.line(try ContextReport.json(ContextReport(context, isCurrent: isCurrent))) }
        console.line("name:       \(context.name)\(isCurrent ? " (current)" : "")")
        if let relay = context.relay {
            console.line("relay:      \(relay.visible)")
            console.line(
                "token file: \(context.tokenFile?.visible ?? "none; \(RelayLocation.tokenVariable) is used if it is set")")
        }
        if let directory = context.directory { console.line("directory:  \(directory.visible)") }
    }
}
