import ArgumentParser
import Foundation
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

struct WatchCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "View and control clients, scenarios and events live in full screen.",
        discussion: """
            Tab changes the pane, and the arrow keys move in it. Space enables or disables the selected scenario, a approves \
            the selected client, and x ends its telemetry after confirmation.

            In the events, the arrow and page keys and the mouse wheel select an event and pause the view; above the oldest \
            loaded event, older ones are read from the store; End returns to the newest. Enter shows all fields and attributes \
            of the selected event, y copies it to the terminal's clipboard, and m sets a bookmark.

            / takes a query, as --where: only events that match it are shown, and their title counts the stored ones. s \
            filters by severity, and t shows the most frequent values of a field, which Enter adds to the filter. f finds the \
            events that match a query; n and N go to the next and previous one. C shows the sessions that ended without a \
            shutdown. ? shows all keys, and q quits.

            While the wheel scrolls, the terminal selects no text; M changes that, and it never applies to an event's details.

            Examples:
              telemetry watch --directory /srv/telemetry
              telemetry watch --relay https://relay.example.com --since 1d
              telemetry watch --where 'status:>=500 -scenario:=Heartbeat'
            """)

    @OptionGroup var store: StoreOptions

    @Option(
        help: """
            Start with the events since this date: 10m, 2026-11-21; by default, with the newest ones, whatever their age. Older \
            ones are read when you scroll to them.
            """)
    var since: String?

    @OptionGroup var condition: WhereOption

    @Option(
        help: """
            Only events of this severity and above: \(QuerySeverity.allCases.map(\.rawValue).joined(separator: ", ")). The key s \
            changes it.
            """)
    var severity: SeverityArgument?

    @OptionGroup var issuer: IssuerOptions

    func validate() throws {
        _ = try filter()
    }

    private func filter() throws -> WatchFilter {
        let base = TelemetryEventFilter(
            since: try since.map { try SelectionOptions.date($0, "--since") }, query: try condition.query())
        return try WatchFilter(base, severity: severity?.severity)
    }

    func perform(_ console: Console) async throws {
        let filter = try filter()
        guard let screen = Screen() else {
            throw ToolFailure(
                .unavailable, "watch requires a terminal; without one use: telemetry events --follow")
        }
        let location = try store.located()
        // Diagnostics would corrupt the screen, so they are shown in the message line.
        let (diagnostics, diagnostic) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(8))
        let transport = try location.open { diagnostic.yield($0.message) }
        let session = WatchSession(
            transport: transport, location: location, screen: screen, style: console.style,
            filter: filter, issuer: issuer.name, aliases: try store.aliases(), diagnostics: diagnostics)
        screen.open()
        defer { screen.close() }
        try await SystemSignal.untilInterrupted { try await session.run() }
    }
}
