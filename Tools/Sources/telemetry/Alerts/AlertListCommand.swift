import ArgumentParser
import ViewerKit

struct AlertListCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the alerts that the token may see.",
        discussion: "Example: telemetry alert list --relay https://relay.example.com")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    func perform(_ console: Console) async throws {
        let alerts = try await store.alerts().all()
        guard !alerts.isEmpty else { return console.note("No alerts. Add one: telemetry alert add NAME") }
        output.print(alerts.map(\.jsonLine), Self.table(of: alerts), console)
    }

    private static func table(of alerts: [RelayAlert]) -> Table {
        var table = Table([
            .text("alert", priority: 9), .whole("state", priority: 8), .whole("fires at", priority: 6),
            .whole("quiet", priority: 3), .text("webhook", priority: 5), .text("owner", priority: 2),
            .text("condition", priority: 7),
        ])
        for alert in alerts {
            table.add([
                .init(alert.name), .init(alert.isEnabled ? "on" : "off"),
                .init(limit(of: alert.condition)),
                .init(DurationText.compact(seconds: Double(alert.quiet))), .init(alert.webhook), .init(alert.owner ?? "–"),
                .init(text(of: alert.condition)),
            ])
        }
        return table
    }

    private static func limit(of condition: RelayAlert.Condition) -> String {
        switch condition {
        case .events(_, let count, let within): "\(count) in \(DurationText.compact(seconds: Double(within)))"
        case .silence(let seconds, _): "silent for \(DurationText.compact(seconds: Double(seconds)))"
        }
    }

    private static func text(of condition: RelayAlert.Condition) -> String {
        switch condition {
        case .events(let query, _, _): query
        case .silence(_, let clients): "clients \(clients)"
        }
    }
}
