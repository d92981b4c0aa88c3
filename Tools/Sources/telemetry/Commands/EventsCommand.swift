import ArgumentParser
import Foundation
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

struct EventsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show stored events; with --follow, also new ones.",
        usage: "telemetry events [options]",
        discussion: """
            Examples:
              telemetry events --follow --client k7wq --scenario FileRead
              telemetry events -c 'web-*' -n 100 --grep 'timeout|refused' --regex -C 3
              telemetry events --severity warning --since 1h
              telemetry events --since 10m --grep timeout --format csv > last.csv
              telemetry events --format json --cursor-file position     only new events
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var filter: FilterOptions
    @OptionGroup var output: EventOutputOptions

    @Flag(name: .shortAndLong, help: "Keep printing new events until interrupted.")
    var follow = false

    @Option(help: "Only events that contain this text, case-insensitive. If repeated, all texts must match.")
    var grep: [String] = []

    @Option(help: "Exclude events that contain this text, case-insensitive; may be repeated.")
    var exclude: [String] = []

    @Option(
        help: """
            Only events of this severity and above: \(QuerySeverity.allCases.map(\.rawValue).joined(separator: ", ")). It is in the \
            attribute severity or level; without it info events are info, and diagnostic events are debug.
            """)
    var severity: SeverityArgument?

    @Flag(help: "--grep and --exclude are regular expressions.")
    var regex = false

    @Option(
        name: [.long, .customShort("C")], help: "Also this many events before and after each match of --grep and --exclude.")
    var around: Int?

    @Option(help: "Stop after this many events.")
    var limit: Int?

    @Option(
        name: [.long, .customLong("tail"), .customShort("n")], help: "Only this many of the newest matching stored events.")
    var last: Int?

    @Option(help: "Start after this cursor, as printed by --print-cursor.")
    var after: String?

    @Flag(name: .customLong("print-cursor"), help: "At the end, print the cursor to standard error.")
    var printCursor = false

    @Option(name: .customLong("cursor-file"), help: "Start after the cursor in this file, and save the new cursor there.")
    var cursorFile: String?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if let last, last < 1 { throw ValidationError("--last must be at least 1.") }
        if limit != nil, last != nil { throw ValidationError("Give --limit or --last, not both.") }
        if regex, grep.isEmpty, exclude.isEmpty { throw ValidationError("--regex requires --grep or --exclude.") }
        if let around, around < 1 { throw ValidationError("--around must be at least 1.") }
        if around != nil, grep.isEmpty, exclude.isEmpty, severity == nil {
            throw ValidationError("--around requires --grep, --exclude or --severity.")
        }
        if follow, try filter.selection.endsInThePast() {
            throw ValidationError("--follow cannot be used with an --until date in the past.")
        }
        if after != nil, cursorFile != nil { throw ValidationError("Give --after or --cursor-file, not both.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        var criteria = try await filter.resolved(over: transport, in: store, notingUnknownOn: console)
        criteria.including = try grep.map { try EventPattern($0, isExpression: regex) }
        criteria.severity = severity?.severity
        criteria.excluding = try exclude.map { try EventPattern($0, isExpression: regex) }
        try await filter.noteUnknownScenarios(over: transport, console)
        var listing = EventListing(transport: transport, criteria: criteria)
        listing.around = around
        listing.limit = limit
        listing.last = last
        listing.follows = follow
        guard follow else { return try await show(listing, console) }
        // Interruption is the regular end of --follow, so the cursor is printed and saved as well.
        let whole = listing
        try await SystemSignal.untilInterrupted { try await show(whole, console) }
    }

    private func show(_ listing: EventListing, _ console: Console) async throws {
        let printer = EventPrinter(
            formatter: try output.formatter(console, store.aliases()), unselectedColumns: output.unselectedColumns(console),
            console: console)
        let start = try start()
        let end: TelemetryCursor?
        do { end = try await listing.run(after: start, printer) } catch let error as TelemetryTransportError
            where error.code == .invalidArgument && start != nil
        {
            throw position.map { $0.failure(error) }
                ?? ToolFailure(.data, "\(error.message) To start from the beginning, omit --after.")
        }
        if printer.isEmpty, !follow {
            let isEmptyStore = try await listing.transport.countEvents() == 0
            console.note(
                isEmptyStore
                    ? "No events yet. Approve a client and enable a scenario first."
                    : "No events match. To see what is stored: telemetry stats")
        }
        try save(end, console)
    }

    private func start() throws -> TelemetryCursor? {
        if let after { return TelemetryCursor(rawValue: after) }
        return try position?.read()
    }

    private var position: CursorFile? { cursorFile.map(CursorFile.init(path:)) }

    private func save(_ cursor: TelemetryCursor?, _ console: Console) throws {
        guard let cursor else { return }
        if printCursor { console.note("cursor: \(cursor.rawValue)") }
        try position?.write(cursor)
    }
}
