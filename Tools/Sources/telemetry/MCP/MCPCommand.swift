import ArgumentParser
import Foundation
import ModelContext
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct MCPCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Serve the store to a program that acts for you, by the Model Context Protocol.",
        usage: "telemetry mcp [--read-only] [options]",
        discussion: """
            The program starts this command and talks to it over standard input and output, one JSON message a line. It can read and \
            ask, and enable scenarios for a limited time. It cannot approve clients, delete anything, end telemetry or make rules. \
            With the token of a reader it can only read.

            Examples:
              telemetry mcp --directory /srv/telemetry
              telemetry mcp --context prod --read-only
              telemetry mcp --context prod --name ci --max-lease 5m
            """)

    @OptionGroup var store: StoreOptions

    @Flag(name: .customLong("read-only"), help: "Offer nothing that sends a command to a client.")
    var readOnly = false

    @Option(
        help: """
            The name of the program, which is stored with what it sends as agent:NAME, and which the app can show to its user. A relay \
            stores the token's name instead. Default: the name of this machine's user.
            """)
    var name: String?

    @Option(name: .customLong("max-lease"), help: "The longest time for which it can enable a scenario: 90s, 15m, 2h.")
    var maxLease = "15m"

    func validate() throws {
        _ = try maximumLease()
        if let name, name.isEmpty { throw ValidationError("--name must not be empty.") }
    }

    private func maximumLease() throws -> TimeInterval {
        guard let seconds = DurationText.seconds(maxLease), seconds >= 1 else {
            throw ValidationError(
                "--max-lease \"\(maxLease)\" is not a valid duration of at least a second. Examples: 90s, 15m, 2h.")
        }
        return seconds
    }

    func perform(_ console: Console) async throws {
        let location = try store.located()
        var isReadOnly = readOnly
        if case .relay(let relay) = location, try await relay.description().role == "reader" { isReadOnly = true }
        let user = CommandIssuer.name(given: name, environment: ProcessInfo.processInfo.environment)
        let served = MCPStore(
            location: location, transport: try store.open(console), aliases: try store.aliases(),
            issuer: "agent:\(user ?? "unknown")", maximumLease: try maximumLease())
        let server = MCPServer(
            tools: served.tools(isReadOnly: isReadOnly), resources: [.queryLanguage], instructions: MCPStore.instructions,
            describing: served.failure, write: console.write)
        await InputLines().forEach { lines in
            for line in lines where !line.isEmpty { await server.receive(line) }
        }
        await server.finish()
    }
}
