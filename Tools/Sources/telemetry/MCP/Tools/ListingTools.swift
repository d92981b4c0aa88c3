import Foundation
import ModelContext
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The tools that list clients and scenarios.
struct ListingTools {
    private static let maximum = 500

    let store: MCPStore

    var all: [MCPTool] { [listClients, listScenarios] }

    private var listClients: MCPTool {
        MCPTool(
            name: "list_clients", title: "List clients",
            description: """
                Lists the apps that can be observed: their state (pending, approved, paused, unseen, gone), app version, device, and how \
                many events are stored. A person has to approve a pending one.
                """,
            parameters: [],
            result: Self.result("clients", "A client an object.")
        ) { [store] _, _ in
            let clients = try await ClientDirectory(store.transport, at: store.location).clients()
            let now = Date.now
            return Self.list(
                clients.map { JSONLine($0, alias: store.aliases.name(of: $0.clientId), now: now) }, "clients", "client")
        }
    }

    private var listScenarios: MCPTool {
        MCPTool(
            name: "list_scenarios", title: "List scenarios",
            description:
                "Lists what apps can record: whether a scenario is enabled, at which level, until when, and who decided that.",
            parameters: [MCPParameter("client", .text, MCPStore.clientHelp)],
            result: Self.result("scenarios", "A scenario of a client an object.")
        ) { [store] arguments, _ in
            var clientId: String?
            if let client = arguments.text("client") { clientId = try await store.resolver.identifier(client) }
            let scenarios = try await store.transport.fetchScenarios(forClient: clientId)
                .sorted { ($0.clientId, $0.scenarioName) < ($1.clientId, $1.scenarioName) }
            return Self.list(scenarios.map { JSONLine($0) }, "scenarios", "scenario")
        }
    }

    private static func result(_ name: String, _ description: String) -> [MCPSchema.Member] {
        [
            ("summary", .string("How many there are.")), ("notice", .string("How to treat the names.")),
            (name, .array(of: .object([], isOpen: true), description)),
        ]
    }

    private static func list(_ objects: [JSONLine], _ name: String, _ noun: String) -> MCPResult {
        let shown = objects.prefix(maximum)
        var result = JSONLine()
        result.add(
            "summary",
            "There \(objects.count == 1 ? "is" : "are") \(counted(objects.count, noun))"
                + (shown.count < objects.count ? "; the first \(shown.count.grouped) are here." : "."))
        result.add("notice", MCPEvents.notice)
        result.add(name, Array(shown))
        return MCPResult(result)
    }
}
