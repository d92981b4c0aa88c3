import ArgumentParser
import Foundation
import ViewerKit

struct SessionsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List the client sessions with stored events.",
        usage: "telemetry sessions [options]",
        discussion: "Example: telemetry sessions --client k7wq --since 1d")

    @OptionGroup var store: StoreOptions
    @OptionGroup var filter: FilterOptions
    @OptionGroup var output: ListOutputOptions

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let summary = try await EventSummary(
            countedBy: transport, matching: try await filter.resolved(over: transport, in: store), console)
        guard !summary.sessions.isEmpty else {
            return console.note("No sessions match. To see what is stored: telemetry stats")
        }
        let sessions = summary.sessions.values.sorted { ($0.count.first, $0.id) < ($1.count.first, $1.id) }
        try output.print(
            sessions.map { JSONLine($0, hasGaps: !filter.isNarrow) }, table(of: sessions, try store.aliases()), console)
    }

    private func table(of sessions: [EventSummary.Session], _ aliases: ClientAliases) -> Table {
        var table = Table([
            .text("session", priority: 9), .text("client", priority: 8), .whole("first", priority: 6),
            .number("duration", priority: 5), .number("events", priority: 7), .number("missing", priority: 4),
            .number("dropped", priority: 3), .text("app", priority: 2), .text("device", priority: 1),
        ])
        let time = TimeText()
        for session in sessions {
            table.add([
                .init(session.id), .init(session.clientId.map(aliases.label) ?? "–"),
                .init(time.dayAndMinute(session.count.first)),
                .init(DurationText.string(seconds: session.count.last.timeIntervalSince(session.count.first))),
                .init(session.count.events.grouped), .init(filter.isNarrow ? "–" : session.missing.grouped),
                .init(Int(clamping: session.dropped).grouped), .init(session.app),
                .init(session.device),
            ])
        }
        return table
    }
}
