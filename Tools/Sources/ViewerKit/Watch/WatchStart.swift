public import Foundation
import TelemetryModels
public import TelemetryTransport

/// Where a view of a store begins.
public enum WatchStart {
    /// The date since which a view reads events: the one that was asked for or, if there are many more events since then than a view
    /// keeps, a later one. A view reads the older events when one scrolls to them.
    /// - Parameter since: The date that was asked for; nil for all events.
    /// - Throws: The transport's errors.
    public static func date(since: Date?, in transport: any TelemetryEventTransport) async throws -> Date? {
        let filter = TelemetryEventFilter(since: since)
        guard let newest = NewestEvents(transport: transport, criteria: EventCriteria(filter: filter)),
            try await transport.storedCount(matching: filter) > 2 * EventLog.capacity
        else { return since }
        let dates = try await newest.read(EventLog.capacity).events.map(\.timestamp).sorted()
        // A few events may have been stored long after their dates.
        return dates.isEmpty ? since : dates[dates.count / 20]
    }
}

extension TelemetryEventTransport {
    /// The number of matching events; from the store's summaries, if it has them, since a long period has very many events.
    func storedCount(matching filter: TelemetryEventFilter) async throws -> Int {
        guard self is any TelemetryEventCounting else { return try await countEvents(matching: filter) }
        return try await eventCounts(matching: filter).reduce(0) { $0.addingClamped($1.count) }
    }
}
