import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct ClientsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "List clients and their approval state.",
        discussion: "Example: telemetry clients --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let clients = try await transport.fetchTelemetryClients()
        guard !clients.isEmpty else {
            console.note("No clients yet. A client requests approval when its user opts in to telemetry.")
            return
        }
        let scenarios = Dictionary(grouping: try await transport.fetchScenarios(), by: \.clientId)
        var table = Table([
            .text("client", priority: 9), .whole("state", priority: 8), .whole("requested", priority: 4),
            .number("scenarios enabled", priority: 6), .number("events", priority: 7),
        ])
        let time = TimeText()
        for client in clients {
            let own = scenarios[client.clientId] ?? []
            let events = try await transport.countEvents(matching: .init(clientId: client.clientId))
            table.add([
                .init(client.clientId, look: console.style.bold),
                state(of: client, console.style),
                .init(time.dayAndSecond(client.created)),
                .init("\(own.count(where: \.isEnabled)) of \(own.count)"),
                .init(events.grouped),
            ])
        }
        table.lines(style: console.style, width: console.width).forEach(console.line)
    }

    private func state(of client: TelemetryClientRecord, _ style: Style) -> Table.Cell {
        guard client.isEnabled else { return .init("pending approval", look: style.yellow) }
        return client.isPaused ? .init("paused", look: style.yellow) : .init("approved", look: style.green)
    }
}
