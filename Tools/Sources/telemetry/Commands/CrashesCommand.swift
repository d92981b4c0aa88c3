import ArgumentParser
import Foundation
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

struct CrashesCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "crashes", abstract: "Show the sessions that ended without a shutdown, and their last events.",
        usage: "telemetry crashes [SESSION] [options]",
        discussion: """
            A client reports such a session at its next start. The options --client, --since, --until and --where select these \
            reports. WHEN is when the session was last active, and LAST MINUTE is the number of its events in the minute before. With \
            SESSION, its backtrace and its last events are shown; those from the flight recorder are marked [captured].

            Examples:
              telemetry crashes --since 7d -c 'web-*'
              telemetry crashes --where 'appVersion:=2.1 signal:=SIGSEGV'
              telemetry crashes 3F2A -n 100
              telemetry crashes 3F2A -o json > crash.json
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case table, json, csv }

    private static let lastMinute: TimeInterval = 60
    private static let maximumLimit = 1_000

    @OptionGroup var store: StoreOptions
    @OptionGroup var selection: SelectionOptions

    @Argument(help: "A session's identifier, or an unambiguous prefix of it.", completion: Completions.endedSessions)
    var session: String?

    @Option(
        name: [.long, .customShort("n")],
        help: "The maximum number of sessions or, with SESSION, of its last events. Default: 20, or 50 events.")
    var limit: Int?

    @Option(
        name: [.long, .customLong("output"), .customShort("o")],
        help: """
            The format: table, json (one object per line) or csv (RFC 4180). With SESSION, json and csv have the last events, the \
            report and, if there is one, what the system reported later.
            """)
    var format = Format.table

    func validate() throws {
        guard 1...Self.maximumLimit ~= limit ?? 1 else { throw ValidationError("--limit must be 1 to \(Self.maximumLimit).") }
        if session == "" { throw ValidationError("The session's identifier is empty.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let reports = try await selection.resolved(over: transport, in: store)
        if let session {
            var end = try await sessionEnd(session, among: reports, over: transport, console)
            let newest = try TelemetryQuery("| sort by time desc | limit \(Self.maximumLimit)")
            let diagnostics = try await EventCriteria(filter: end.diagnostics).result(
                of: newest, over: transport, in: store, console)
            end.add(diagnostics.events)
            try await show(end, over: transport, console)
        } else {
            try await list(reports, over: transport, console)
        }
    }

    // MARK: The list

    private func list(
        _ reports: EventCriteria, over transport: any TelemetryEventTransport, _ console: Console
    ) async throws {
        let result = try await reports.result(
            of: SessionEndList.query(limit: limit ?? 20), over: transport, in: store, console)
        let ends = result.events.compactMap(SessionEnd.init).sorted { $0.date > $1.date }
        guard !ends.isEmpty else {
            return console.note("No session ended without a shutdown, or none matches. To see all sessions: telemetry sessions")
        }
        let list = try await console.withProgress({ "counting events" }) {
            var rows: [SessionEndList.Row] = []
            for end in ends {
                var count = 0
                for filter in try end.events(within: Self.lastMinute) {
                    count += try await transport.countEvents(matching: filter)
                }
                rows.append((end, count))
            }
            return SessionEndList(rows)
        }
        switch format {
        case .json: list.values.objects.forEach { console.line($0.text) }
        case .csv: console.write(list.values.csv(isForTerminal: console.isTerminal))
        case .table:
            let counts = try await reports.result(of: SessionEndList.counts(), over: transport, in: store, console)
            for table in [list.table(try store.aliases()), SessionEndList.table(counts: counts)] {
                table.lines(style: console.style, width: console.width).forEach(console.line)
                console.line("")
            }
            let shown = ends.count < result.matched ? "; the newest \(ends.count.grouped) are shown" : ""
            console.line("\(counted(result.matched, "session")) ended without a shutdown\(shown).")
        }
    }

    // MARK: One session

    /// - Throws: ``ToolFailure`` if no session begins with the text, or several do.
    private func sessionEnd(
        _ text: String, among reports: EventCriteria, over transport: any TelemetryEventTransport, _ console: Console
    ) async throws -> SessionEnd {
        let query = try SessionEndList.query(prefix: text, limit: Self.maximumLimit)
        let found = try await reports.result(of: query, over: transport, in: store, console).events.compactMap(SessionEnd.init)
        let exact = found.filter { $0.session == text }
        let candidates = exact.isEmpty ? found : exact
        let shown = "\"\(text.visible.fitted(to: 80))\""
        guard let newest = candidates.max(by: { $0.report.timestamp < $1.report.timestamp }) else {
            throw ToolFailure(.notFound, "No session \(shown) that ended without a shutdown. To list them: telemetry crashes")
        }
        let sessions = Set(candidates.map(\.session))
        guard sessions.count == 1 else {
            throw ToolFailure(.notFound, "\(shown) is ambiguous: \(sessions.sorted().nameList). Give a longer prefix.")
        }
        let clients = Set(candidates.compactMap(\.report.clientId))
        guard clients.count <= 1 else {
            throw ToolFailure(
                .notFound, "Several clients reported \(shown): \(clients.sorted().nameList). Select one with --client.")
        }
        return newest
    }

    private func show(_ end: SessionEnd, over transport: any TelemetryEventTransport, _ console: Console) async throws {
        let limit = limit ?? 50
        let query = try TelemetryQuery("| sort by time desc, sequence desc | limit \(limit)")
        var events: [TelemetryEvent] = []
        for filter in try end.events() {
            events += try await EventCriteria(filter: filter).result(of: query, over: transport, in: store, console).events
        }
        let last = Array(events.sorted { ($0.timestamp, $0.sequence) < ($1.timestamp, $1.sequence) }.suffix(limit))
        let reports = [end.report, end.diagnostic].compactMap(\.self)
        switch format {
        case .json: try EventPrinter(.json, in: store, console).print(last + reports)
        case .csv: try EventPrinter(.csv, in: store, console).print(last + reports)
        case .table:
            end.lines(aliases: try store.aliases(), style: console.style).forEach(console.line)
            console.line("")
            console.line(
                console.style.dim(last.isEmpty ? "no events of this session are stored" : "last \(counted(last.count, "event"))"))
            try EventPrinter(.table, in: store, console).print(last)
        }
    }
}
