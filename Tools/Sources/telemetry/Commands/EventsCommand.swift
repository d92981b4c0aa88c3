import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct EventsCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show the events that are stored and, with --follow, those that arrive.",
        usage: "telemetry events [options]",
        discussion: """
            Examples:
              telemetry events --follow --client k7wq --scenario FileRead
              telemetry events --since 10m --grep timeout --format csv > last.csv
              telemetry events --format json --cursor-file position     only what is new
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var filter: FilterOptions
    @OptionGroup var output: EventOutputOptions

    @Flag(name: .shortAndLong, help: "Go on with what arrives, until interrupted.")
    var follow = false

    @Option(help: "Only those that contain this text, in whatever case.")
    var grep: String?

    @Option(help: "Stop after this many events.")
    var limit: Int?

    @Option(help: "Only the newest this many of those that are stored.")
    var last: Int?

    @Option(help: "Begin behind this place, as --print-cursor told it.")
    var after: String?

    @Flag(name: .customLong("print-cursor"), help: "At the end, tell on standard error where to read on.")
    var printCursor = false

    @Option(name: .customLong("cursor-file"), help: "Begin at the place kept in this file, and keep the new one there.")
    var cursorFile: String?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if let last, last < 1 { throw ValidationError("--last must be at least 1.") }
        if limit != nil, last != nil { throw ValidationError("Give --limit or --last, not both.") }
        if after != nil, cursorFile != nil { throw ValidationError("Give --after or --cursor-file, not both.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        var listing = EventListing(
            transport: transport, filter: try await filter.resolved(over: transport), search: grep.map(EventSearch.init))
        listing.limit = limit
        listing.last = last
        listing.follows = follow
        guard follow else { return try await show(listing, console) }
        // Interrupting is how following ends: the place to read on from is told and kept as well.
        let whole = listing
        try await SystemSignal.untilInterrupted { try await show(whole, console) }
    }

    private func show(_ listing: EventListing, _ console: Console) async throws {
        let printer = EventPrinter(formatter: try output.formatter(console), console: console)
        let start = try start()
        let end: TelemetryCursor?
        do { end = try await listing.run(after: start, printer) } catch let error as TelemetryTransportError
            where error.code == .invalidArgument && start != nil
        {
            let anew = cursorFile.map { "delete \($0.visible)" } ?? "leave --after out"
            throw ToolFailure(.data, "\(error.message) To begin anew, \(anew).")
        }
        if printer.isEmpty, !follow {
            let isEmptyStore = try await listing.transport.countEvents() == 0
            console.note(
                isEmptyStore
                    ? "No events yet. They come once a client is approved and a scenario is on; see: telemetry clients."
                    : "No events match. What there is tells: telemetry stats.")
        }
        try keep(end, console)
    }

    private func start() throws -> TelemetryCursor? {
        if let after { return TelemetryCursor(rawValue: after) }
        guard let cursorFile, FileManager.default.fileExists(atPath: cursorFile) else { return nil }
        let text = try String(contentsOfFile: cursorFile, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : TelemetryCursor(rawValue: text)
    }

    private func keep(_ cursor: TelemetryCursor?, _ console: Console) throws {
        guard let cursor else { return }
        if printCursor { console.note("cursor: \(cursor.rawValue)") }
        if let cursorFile { try Data("\(cursor.rawValue)\n".utf8).write(to: URL(fileURLWithPath: cursorFile), options: .atomic) }
    }
}
