import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Selects events and prints them.
struct EventListing: Sendable {
    let transport: any TelemetryEventTransport
    let criteria: EventCriteria
    /// The number of events to print before and after each match.
    var around: Int?
    var limit: Int?
    var last: Int?
    var follows = false

    /// Prints the events, and returns the cursor after the last one.
    func run(after start: TelemetryCursor?, _ printer: EventPrinter) async throws -> TelemetryCursor? {
        var start = start
        var last = last
        if let wanted = last, start == nil, around == nil {
            let newest = NewestEvents(transport: transport, criteria: criteria)
            let (events, end) = try await newest.read(wanted, progress: printer.console.progress)
            printer.console.endProgress()
            printer.print(events)
            guard follows else { return end }
            (start, last) = (end, nil)
        }
        let reader = EventReader(transport: transport, filter: criteria.filter)
        var window = around.map(SurroundingEvents.init)
        var criteria = criteria
        func wanted(_ event: TelemetryEvent) throws -> [TelemetryEvent] {
            let isMatch = try criteria.matches(event)
            guard window != nil else { return isMatch ? [event] : [] }
            return criteria.isOfWantedClient(event) ? window?.process(event, isMatch: isMatch) ?? [] : []
        }
        var newest: [TelemetryEvent] = []
        var isCatchingUp = last != nil
        var before = start
        var stop: (before: TelemetryCursor?, count: Int)?
        let end = try await reader.read(after: start, following: follows) { page in
            printer.reportSkipped(page.skippedEventCount)
            defer { before = page.cursor }
            if let last, isCatchingUp {
                newest += try page.events.flatMap(wanted)
                newest.removeFirst(max(0, newest.count - last))
                guard !page.hasMore else { return true }
                isCatchingUp = false
                printer.print(newest)
                newest = []
                return true
            }
            guard let limit else {
                printer.print(try page.events.flatMap(wanted))
                return true
            }
            var examined = 0
            var found: [TelemetryEvent] = []
            for event in page.events where printer.count + found.count < limit {
                examined += 1
                found += try wanted(event).prefix(limit - printer.count - found.count)
            }
            printer.print(found)
            guard printer.count >= limit else { return true }
            if examined < page.events.count { stop = (before, examined) }
            return false
        }
        guard let stop else { return end }
        // The page extends beyond the last printed event, so fetch the cursor directly after that event.
        return try await transport.events(matching: criteria.filter, after: stop.before, limit: stop.count).cursor
    }
}

/// Writes events to standard output in batches.
final class EventPrinter {
    private(set) var count = 0
    private var formatter: EventFormatter
    /// The columns that are left out by default, because the terminal is narrow.
    private let unselectedColumns: [EventColumn]
    let console: Console

    var isEmpty: Bool { count == 0 }

    init(formatter: EventFormatter, unselectedColumns: [EventColumn], console: Console) {
        self.formatter = formatter
        self.unselectedColumns = unselectedColumns
        self.console = console
    }

    /// Prints events with the standard columns, as CSV with all.
    convenience init(_ format: EventFormatter.Format, in store: StoreOptions, _ console: Console) throws {
        let columns = format == .csv ? EventColumn.allCases.filter { $0 != .time } : EventColumn.standard(for: console.width)
        self.init(
            formatter: EventFormatter(
                format, columns: columns, style: console.style, width: console.width, aliases: try store.aliases()),
            unselectedColumns: [], console: console)
    }

    func print(_ events: [TelemetryEvent]) {
        guard !events.isEmpty else { return }
        var bytes = count == 0 ? header(for: events) : []
        for event in events { formatter.append(event, to: &bytes) }
        count += events.count
        console.write(bytes)
    }

    /// The header, after the widths of the columns were set for the first events.
    private func header(for events: [TelemetryEvent]) -> [UInt8] {
        formatter.fit(to: events)
        let omitted = unselectedColumns + formatter.omittedColumns
        if !omitted.isEmpty {
            let names = omitted.map(\.rawValue).joined(separator: ", ")
            console.note("Columns not shown: \(names). To see them: a wider terminal, --columns or --format json.")
        }
        return formatter.header
    }

    func reportSkipped(_ count: Int) {
        if count > 0 { console.note("(skipped \(counted(count, "older event")) no longer stored)") }
    }
}
