import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct ClientsCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "List the clients that ask for approval or have it.",
        discussion: "Example: telemetry clients --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let clients = try await transport.fetchTelemetryClients()
        guard !clients.isEmpty else {
            console.note("No client has asked yet. A host asks when its user agrees to telemetry.")
            return
        }
        let scenarios = Dictionary(grouping: try await transport.fetchScenarios(), by: \.clientId)
        var table = Table([
            ("client", .leading), ("state", .leading), ("asked", .leading), ("scenarios on", .trailing), ("events", .trailing),
        ])
        let time = TimeText()
        for client in clients {
            let own = scenarios[client.clientId] ?? []
            let events = try await transport.countEvents(matching: .init(clientId: client.clientId))
            table.add([
                .init(client.clientId, look: console.style.bold),
                client.isEnabled
                    ? .init("approved", look: console.style.green) : .init("waits for approval", look: console.style.yellow),
                .init(time.dayAndSecond(client.created)),
                .init("\(own.count(where: \.isEnabled)) of \(own.count)"),
                .init(events.grouped),
            ])
        }
        table.lines(style: console.style, width: console.width).forEach(console.line)
    }
}
