import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct EventsCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show the events that are stored and, with --follow, those that arrive.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var filter: FilterOptions

    @Flag(name: .shortAndLong, help: "Go on with what arrives, until interrupted.")
    var follow = false

    func perform(_ console: Console) async throws {
        let transport = try store.open()
        let filter = try await filter.resolved(over: transport)
        var rows = EventRows(style: console.style, width: console.width)
        var isFirst = true
        try await EventReader(transport: transport, filter: filter).read(after: nil, following: follow) { page in
            if isFirst, !page.events.isEmpty {
                console.line(rows.header)
                isFirst = false
            }
            if page.missedEvents > 0 { console.note("(\(page.missedEvents.grouped) older events are no longer stored)") }
            for event in page.events { console.line(rows.row(event)) }
            return true
        }
        if isFirst { console.note("No events match.") }
    }
}
