import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct WatchCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "See clients, scenarios and events live on the whole screen.",
        discussion: """
            Tab changes the pane, the arrows move in it. Space turns the selected scenario on or off, a approves the selected \
            client, x ends its telemetry after a question. / filters the events as you type, c shows only the selected \
            client's, p stands still, ? shows all keys, q quits.

            Examples:
              telemetry watch --directory /srv/telemetry
              telemetry watch --since 1d
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: "Begin with the events since then: 10m, 2026-11-21.")
    var since = "10m"

    func validate() throws {
        guard MomentText.date(since, now: .now) != nil else {
            throw ValidationError("--since \"\(since)\" is no moment; write for example 10m, 2h or 2026-11-21.")
        }
    }

    func perform(_ console: Console) async throws {
        guard let screen = Screen() else {
            throw ToolFailure(
                .unavailable, "watch needs a terminal for input and output; in a pipe use: telemetry events --follow")
        }
        let directory = try store.located()
        // What is odd would tear the picture; it shows in the message line.
        let (troubles, trouble) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(8))
        let transport = try directory.open { trouble.yield($0.message) }
        let session = WatchSession(
            transport: transport, screen: screen, style: console.style, store: directory.url.path,
            since: MomentText.date(since, now: .now), troubles: troubles)
        screen.open()
        defer { screen.close() }
        try await SystemSignal.untilInterrupted { try await session.run() }
    }
}
