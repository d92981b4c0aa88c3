import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct StatsCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Count events by scenario, client and hour, with rates, gaps and drops.",
        usage: "telemetry stats [options]",
        discussion: "Example: telemetry stats --since 1d --svg day.svg")

    @OptionGroup var store: StoreOptions
    @OptionGroup var filter: FilterOptions
    @OptionGroup var output: ListOutputOptions

    @Option(help: "Also write the events-by-hour chart to this SVG file.")
    var svg: String?

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let summary = try await EventSummary(
            countedBy: transport, matching: try await filter.resolved(over: transport, in: store), console)
        guard summary.all.events > 0 else {
            return console.note("No events match. Remove some filters, or see: telemetry clients")
        }
        let hours = bars(summary)
        let relay = try await relay()
        switch output.format {
        case .json:
            summary.objects(hasGaps: !filter.isNarrow, retention: relay?.retention, sizes: relay?.sizes ?? [:])
                .forEach { console.line($0.text) }
        case .table: show(summary, hours, relay, try store.aliases(), console)
        }
        if let svg { try write(hours, to: svg, console) }
    }

    /// What a relay says of how it keeps events.
    private struct Keeping {
        /// Nil for a token with a scope.
        let retention: RelayRetention?
        /// Empty if the filter leaves out events, or if the relay does not know them.
        let sizes: [String?: RelayScenarioSize]
    }

    /// Nil for a store in a directory.
    private func relay() async throws -> Keeping? {
        guard case .relay(let location) = try store.located() else { return nil }
        let probe = RelayProbe(location)
        guard case .relay(let relay) = await probe.server() else { return nil }
        let isOfAll = !filter.isNarrow && filter.selection.client.isEmpty && filter.session == nil
        return Keeping(
            retention: relay.retention, sizes: isOfAll ? await probe.scenarioSizes() ?? [:] : [:])
    }

    private func show(
        _ summary: EventSummary, _ hours: [(label: String, value: Int)], _ relay: Keeping?, _ aliases: ClientAliases,
        _ console: Console
    ) {
        show("scenario", summary.scenarios, relay, console) { $0 }
        show("client", summary.clients, nil, console, label: aliases.label)
        console.line(console.style.dim("EVENTS BY HOUR"))
        BarChart().lines(hours, width: console.width ?? 80, style: console.style).forEach(console.line)
        console.line()
        console.line("\(counted(summary.all.events, "event")) in \(counted(summary.sessions.count, "session"))")
        console.line("reported drops: \(Int(clamping: summary.dropped).grouped)")
        if filter.isNarrow {
            console.line("gaps: not counted, because the filter excludes events")
        } else {
            console.line("gaps: \(counted(summary.missing, "sequence number")) missing within sessions")
        }
    }

    private func write(_ hours: [(label: String, value: Int)], to svg: String, _ console: Console) throws {
        let chart = SVGChart(title: "Events by hour", bars: hours)
        do {
            try Data(chart.text.utf8).write(to: URL(fileURLWithPath: svg), options: .atomic)
        } catch {
            throw ToolFailure(
                .cannotCreate, "Cannot write the chart to \(svg.visible). Check that its directory exists and is writable.")
        }
        console.note("Wrote the chart to \(svg.visible).")
    }

    /// - Parameter relay: How the events are kept, if they are counted by scenario.
    private func show(
        _ title: String, _ counts: [String?: EventSummary.Count], _ relay: Keeping?, _ console: Console,
        label: (String) -> String
    ) {
        let retention = relay?.retention
        let sizes = relay?.sizes ?? [:]
        var table = Table(
            [
                .text(title, priority: 9), .number("events", priority: 8), .number("diagnostic", priority: 5),
                .number("per second", priority: 4), .whole("first", priority: 6), .whole("last", priority: 7),
            ] + (retention == nil ? [] : [.whole("kept for", priority: 6)])
                + (sizes.isEmpty ? [] : [.number("size", priority: 6), .whole("until", priority: 3)]))
        let time = TimeText()
        for (name, count) in EventSummary.largestFirst(counts) {
            table.add(
                [
                    .init(name.map(label) ?? "–", look: console.style.tinted), .init(count.events.grouped),
                    .init(count.diagnostic.grouped),
                    .init(count.rate.map { String(format: "%.1f", $0) } ?? "–"), .init(time.dayAndMinute(count.first)),
                    .init(time.dayAndMinute(count.last)),
                ] + (retention.map { [.init($0.limits(of: name).text)] } ?? [])
                    + (sizes.isEmpty ? [] : cells(of: sizes[name], time)))
        }
        table.lines(style: console.style, width: console.width).forEach(console.line)
        console.line()
    }

    private func cells(of size: RelayScenarioSize?, _ time: TimeText) -> [Table.Cell] {
        [.init(size?.text ?? "–"), .init(size?.lastExpires.map(time.dayAndMinute) ?? "–")]
    }

    /// The hours from the first to the last, including empty ones; at most the last 48.
    private func bars(_ summary: EventSummary) -> [(label: String, value: Int)] {
        guard let first = summary.hours.keys.min(), let last = summary.hours.keys.max() else { return [] }
        let time = TimeText()
        return stride(from: max(first, last - 47 * 3_600), through: last, by: 3_600).map { hour in
            let label = time.dayAndMinute(Date(timeIntervalSince1970: TimeInterval(hour)))
            return (label, summary.hours[hour] ?? 0)
        }
    }
}

extension EventSummary {
    /// Takes the store's counts of the matching events. Damage to events may not be noticed.
    init(countedBy transport: any TelemetryEventTransport, matching criteria: EventCriteria, _ console: Console) async throws {
        self.init()
        let counts = try await transport.eventCounts(matching: criteria.filter) {
            console.progress("… \(counted($0, "event")) read")
        }
        console.endProgress()
        for count in counts where criteria.isOfWantedClient(count.clientId) { add(count) }
    }

    /// Reads all matching events, and shows the progress.
    init(of transport: any TelemetryEventTransport, matching criteria: EventCriteria, _ console: Console) async throws {
        self.init()
        var summary = EventSummary()
        try await EventReader(transport: transport, filter: criteria.filter).read(after: nil, following: false) { page in
            for event in criteria.events(of: page) { summary.add(event) }
            console.progress("… \(counted(summary.all.events, "event")) read")
            return true
        }
        console.endProgress()
        self = summary
    }
}
