public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension InMemoryTelemetryTransport {
    public func append(_ events: [TelemetryEvent]) async throws {
        for event in events {
            if let clientId = event.clientId { try NameRules.check(clientId: clientId) }
        }
        for event in events where knownEventIds.insert(event.eventId).inserted {
            stored.append((nextPosition, event))
            nextPosition += 1
        }
        arrivalStreams.yield(())
    }

    public func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try NameRules.check(limit: limit)
        try filter.validate()
        let position = try cursor.map(position(of:)) ?? 0
        var index = firstIndex(after: position)
        var found: [TelemetryEvent] = []
        var last = position
        while index < stored.count, found.count < limit {
            last = stored[index].position
            if filter.matches(stored[index].event) { found.append(stored[index].event) }
            index += 1
        }
        return TelemetryEventPage(
            events: found, cursor: TelemetryCursor(rawValue: "\(last)"), hasMore: index < stored.count)
    }

    public func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        try NameRules.check(limit: limit)
        try filter.validate()
        let end = try cursor.map(position(of:)) ?? nextPosition - 1
        var index = firstIndex(after: end)
        var found: [TelemetryEvent] = []
        while index > 0, found.count < limit {
            index -= 1
            if filter.matches(stored[index].event) { found.append(stored[index].event) }
        }
        let start = index > 0 ? TelemetryCursor(rawValue: "\(stored[index].position - 1)") : nil
        return TelemetryEventHistoryPage(
            events: found.reversed(), start: start, end: TelemetryCursor(rawValue: "\(end)"), hasMore: index > 0)
    }

    public func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try filter.validate()
        return stored.count { filter.matches($0.event) }
    }

    public func result(
        of query: TelemetryQuery, matching filter: TelemetryEventFilter, now: Date
    ) async throws -> TelemetryQueryResult {
        try filter.validate()
        return try TelemetryTransportError.evaluating {
            try query.result(over: stored.lazy.map(\.event).filter(filter.matches), now: now)
        }
    }

    @discardableResult
    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try filter.validate()
        let before = stored.count
        // The identifiers are kept: a deleted event that is sent again is not stored.
        stored.removeAll { filter.matches($0.event) }
        return before - stored.count
    }

    public nonisolated func eventArrivals() -> AsyncStream<Void> { arrivalStreams.stream() }

    private func position(of cursor: TelemetryCursor) throws -> UInt64 {
        guard let position = UInt64(cursor.rawValue), position < nextPosition else {
            throw TelemetryTransportError.invalidArgument("\"\(cursor.rawValue)\" is not a valid cursor of this store.")
        }
        return position
    }

    /// The index of the first event after a position, by binary search.
    private func firstIndex(after position: UInt64) -> Int {
        var low = 0
        var high = stored.count
        while low < high {
            let middle = (low + high) / 2
            if stored[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
