import ArgumentParser
import Foundation
import ViewerKit

/// The output format of a list of contexts.
enum ContextFormat: String, CaseIterable, ExpressibleByArgument { case table, json }

struct ContextListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the contexts; an asterisk marks the current one.",
        discussion: "Example: telemetry context list --format json")

    @Option(help: "The format: table or json.")
    var format = ContextFormat.table

    func perform(_ console: Console) async throws {
        let known = try ContextStore.own.read()
        let contexts = known.contexts.sorted { $0.name < $1.name }
        if format == .json {
            return console.line(try ContextReport.json(contexts.map { ContextReport($0, isCurrent: $0.name == known.current) }))
        }
        guard !contexts.isEmpty else {
            return console.note("No contexts. Add one: telemetry context add NAME --relay URL --token-file FILE")
        }
        var table = Table([
            .whole("", priority: 9), .text("context", priority: 8), .text("store", priority: 7), .text("token file", priority: 6),
        ])
        for context in contexts {
            table.add([
                .init(context.name == known.current ? "*" : " "), .init(context.name, look: console.style.bold),
                .init(context.relay ?? context.directory ?? "–"), .init(context.tokenFile ?? "–"),
            ])
        }
        table.lines(style: console.style, width: console.width).forEach(console.line)
    }
}

/// A context as JSON.
struct ContextReport: Encodable {
    let name: String
    let current: Bool
    let relay: String?
    let tokenFile: String?
    let directory: String?

    init(_ context: StoreContext, isCurrent: Bool) {
        name = context.name
        current = isCurrent
        relay = context.relay
        tokenFile = context.tokenFile
        directory = context.directory
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
