import ArgumentParser
import Foundation
import TelemetryTransport
import ViewerKit

struct AliasCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "alias", abstract: "Give a client a name, which all commands accept instead of its identifier.",
        usage: """
            telemetry alias CLIENT NAME [options]
            telemetry alias --list [options]
            telemetry alias --remove NAME [options]
            """,
        discussion: """
            Aliases are stored by store, next to the contexts, readable only by you. An alias precedes a prefix of an identifier. If \
            it is also another client's identifier, it selects neither client. A client has one alias.

            Examples:
              telemetry alias k7wq checkout-phone
              telemetry events --client checkout-phone
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    @Flag(help: "List the aliases of the store.")
    var list = false

    @Option(help: "Remove this alias.", completion: Completions.aliases)
    var remove: String?

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String?

    @Argument(help: "The name: letters, digits, dots, hyphens and underscores.")
    var name: String?

    func validate() throws {
        let isAdding = client != nil
        guard [list, remove != nil, isAdding].count(where: \.self) == 1 else {
            throw ValidationError("Give CLIENT and NAME, or --list, or --remove NAME.")
        }
        guard isAdding == (name != nil) else { throw ValidationError("Give CLIENT and NAME.") }
        if let name {
            do { try StoreContext.check(name: name, of: "an alias") } catch let failure as ToolFailure {
                throw ValidationError(failure.message)
            }
        }
    }

    func perform(_ console: Console) async throws {
        let location = try store.located()
        if let client, let name {
            let clientId = try await store.resolver(over: try store.open(console)).identifier(client)
            try AliasStore.own.add(name, for: clientId, in: location)
            return console.line("\(console.style.green("✓")) Client \(clientId.visible) is now \(name).")
        }
        if let remove {
            let clientId = try AliasStore.own.remove(remove, in: location)
            return console.line("\(console.style.green("✓")) Removed the alias \(remove.visible) of client \(clientId.visible).")
        }
        let aliases = try store.aliases().identifiers.sorted { $0.key < $1.key }
        guard !aliases.isEmpty else { return console.note("No aliases. Add one: telemetry alias CLIENT NAME") }
        var table = Table([.text("alias", priority: 9), .text("client", priority: 8)])
        for (name, clientId) in aliases { table.add([.init(name, look: console.style.bold), .init(clientId)]) }
        let objects = aliases.map { name, clientId in
            var object = JSONLine()
            object.add("alias", name)
            object.add("clientid", clientId)
            return object
        }
        output.print(objects, table, console)
    }
}

extension AliasStore {
    /// The aliases of the user who runs the tool.
    static var own: AliasStore { AliasStore(environment: ProcessInfo.processInfo.environment) }
}

extension StoreOptions {
    /// The aliases for the selected store.
    func aliases() throws -> ClientAliases { try AliasStore.own.aliases(of: try located()) }

    /// Finds clients by identifier, prefix or alias.
    func resolver(over transport: any TelemetryTransporting) throws -> ClientResolver {
        ClientResolver(transport: transport, aliases: try aliases())
    }
}
