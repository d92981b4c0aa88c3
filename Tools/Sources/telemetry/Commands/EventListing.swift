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
        let reader = EventReader(transport: transport, filter: criteria.filter)
        var window = around.map(SurroundingEvents.init)
        func wanted(_ event: TelemetryEvent) -> [TelemetryEvent] {
            let isMatch = criteria.matches(event)
            guard window != nil else { return isMatch ? [event] : [] }
            return criteria.isOfWantedClient(event) ? window?.take(event, isMatch: isMatch) ?? [] : []
        }
        var newest: [TelemetryEvent] = []
        var isCatchingUp = last != nil
        var before = start
        var stop: (before: TelemetryCursor?, count: Int)?
        let end = try await reader.read(after: start, following: follows) { page in
            printer.reportSkipped(page.skippedEventCount)
            defer { before = page.cursor }
            if let last, isCatchingUp {
                newest += page.events.flatMap(wanted)
                newest.removeFirst(max(0, newest.count - last))
                guard !page.hasMore else { return true }
                isCatchingUp = false
                printer.print(newest)
                newest = []
                return true
            }
            guard let limit else {
                printer.print(page.events.flatMap(wanted))
                return true
            }
            var examined = 0
            var found: [TelemetryEvent] = []
            for event in page.events where printer.count + found.count < limit {
                examined += 1
                found += wanted(event).prefix(limit - printer.count - found.count)
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
    private let console: Console

    var isEmpty: Bool { count == 0 }

    init(formatter: EventFormatter, console: Console) {
        self.formatter = formatter
        self.console = console
    }

    func print(_ events: [TelemetryEvent]) {
        guard !events.isEmpty else { return }
        var bytes: [UInt8] = count == 0 ? formatter.header : []
        for event in events { formatter.append(event, to: &bytes) }
        count += events.count
        console.write(bytes)
    }

    func reportSkipped(_ count: Int) {
        if count > 0 { console.note("(skipped \(counted(count, "older event")) no longer stored)") }
    }
}
