import ArgumentParser
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

struct QueryCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Ask a question about the stored events: find, count, group and sort.",
        usage: "telemetry query TEXT [options]",
        discussion: """
            Examples:
              telemetry query 'status:>=500 time:1h'
              telemetry query 'severity:>=error | top app'
              telemetry query 'name:="request.finished" | stats quantile(0.95, duration) as p95 by time:1m' -o chart
              telemetry query 'user:=4711 -scenario:=Heartbeat | sort by time desc | limit 20' -o json
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case table, json, csv, chart }

    @OptionGroup var store: StoreOptions
    @OptionGroup var filter: FilterOptions

    @Argument(
        help: """
            A query: a filter, and pipes after it. For the language, see the article Asking questions. Before a query that begins \
            with a hyphen, write --.
            """,
        completion: Completions.queries)
    var text: String

    @Option(
        name: [.long, .customLong("output"), .customShort("o")],
        help: "The format: table, json (one object per line), csv (RFC 4180), or chart (bars of the last column with numbers).")
    var format = Format.table

    func validate() throws {
        let query = try QueryText.query(text)
        if format == .chart, !query.hasPipes { throw ValidationError("-o chart requires a query with stats or top.") }
    }

    func perform(_ console: Console) async throws {
        let query = try QueryText.query(text)
        let transport = try store.open(console)
        let criteria = try await filter.resolved(over: transport, in: store)
        let result = try await criteria.result(of: query, over: transport, in: store, console)
        guard result.columns.isEmpty else { return show(QueryTable(result), console) }
        let format: EventFormatter.Format =
            switch self.format {
            case .table, .chart: .table
            case .json: .json
            case .csv: .csv
            }
        let printer = try EventPrinter(format, in: store, console)
        printer.print(result.events)
        if result.events.isEmpty { console.note("No events match. To see what is stored: telemetry stats") }
    }

    private func show(_ table: QueryTable, _ console: Console) {
        switch format {
        case .table: table.table.lines(style: console.style, width: console.width).forEach(console.line)
        case .json: table.objects.forEach { console.line($0.text) }
        case .csv: console.write(table.csv(isForTerminal: console.isTerminal))
        case .chart: table.bars(width: console.width ?? 80, style: console.style).forEach(console.line)
        }
    }
}
