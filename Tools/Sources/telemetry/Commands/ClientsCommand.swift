import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct ClientsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "List clients: their state, when they were last seen, app and device.",
        discussion: """
            An approved client that wrote nothing for \(Int(ClientOverview.timeout / 60)) minutes is \
            listed as not seen. A client without a record that still has events, scenarios or pending commands is listed as \
            gone: it ended its telemetry, or its record was deleted. A relay does not list clients that left only events.

            Examples:
              telemetry clients --directory /srv/telemetry
              telemetry clients --format json | jq -r 'select(.state == "pending") | .clientid'
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let clients = try await ClientDirectory(transport, at: try store.located()).clients()
        guard !clients.isEmpty else {
            console.note("No clients yet. A client requests approval when its user opts in to telemetry.")
            return
        }
        let aliases = try store.aliases()
        let now = Date.now
        output.print(
            clients.map { JSONLine($0, alias: aliases.name(of: $0.clientId), now: now) },
            table(of: clients, aliases, now: now, console.style), console)
    }

    private func table(of clients: [ClientOverview], _ aliases: ClientAliases, now: Date, _ style: Style) -> Table {
        let hasAliases = clients.contains { aliases.name(of: $0.clientId) != nil }
        var table = Table(
            [.text("client", priority: 9)] + (hasAliases ? [.text("alias", priority: 9)] : []) + [
                .whole("state", priority: 8), .whole("last seen", priority: 5), .text("app", priority: 6),
                .text("device", priority: 4), .number("scenarios enabled", priority: 3), .number("events", priority: 7),
                .whole("requested", priority: 2),
            ])
        let time = TimeText()
        for client in clients {
            let alias = Table.Cell(aliases.name(of: client.clientId) ?? "–", look: style.bold)
            table.add(
                [.init(client.clientId, look: style.bold)] + (hasAliases ? [alias] : []) + [
                    state(of: client, now: now, style), .init(client.lastSeen.map(time.dayAndMinute) ?? "–"),
                    .init(client.app ?? "–"), .init(client.device ?? "–"),
                    .init("\(client.enabledScenarios) of \(client.scenarios.count)"), .init(client.events.grouped),
                    .init(client.record.map { time.dayAndMinute($0.created) } ?? "–"),
                ])
        }
        return table
    }

    private func state(of client: ClientOverview, now: Date, _ style: Style) -> Table.Cell {
        switch client.state(now: now) {
        case .pending: .init("pending approval", look: style.yellow)
        case .paused: .init("paused", look: style.yellow)
        case .approved: .init("approved", look: style.green)
        case .gone: .init("gone", look: style.dim)
        case .unseen: .init(client.lastSeen.map { "not seen since \(day($0, now: now))" } ?? "not seen yet", look: style.dim)
        }
    }

    /// The time today, otherwise the day.
    private func day(_ date: Date, now: Date) -> String {
        let (text, today) = (TimeText().dayAndMinute(date), TimeText().dayAndMinute(now))
        return text.prefix(10) == today.prefix(10) ? String(text.suffix(5)) : String(text.prefix(10))
    }
}
