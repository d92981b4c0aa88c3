public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store in memory, for tests, previews and hosts that are their own viewer. Ends with the last reference to it.
///
/// The store is unbounded: it keeps every event until it is deleted. It also keeps the identifiers of deleted events, so that an
/// event that is sent again is not stored again.
public actor InMemoryTelemetryTransport: TelemetryTransporting {
    /// Events with their positions, oldest first; a position is never used again.
    private var stored: [(position: UInt64, event: TelemetryEvent)] = []
    private var knownEventIds: Set<String> = []
    private var nextPosition: UInt64 = 1
    private var records: [TelemetryRecord.ID: TelemetryRecord] = [:]
    private var savedVersions: UInt64 = 0
    private var subscriptions: [TelemetrySubscription.ID: TelemetrySubscription] = [:]
    package nonisolated let notificationStreams = StreamBroadcaster<TelemetryNotification>(buffering: .unbounded)
    package nonisolated let arrivalStreams = StreamBroadcaster<Void>(buffering: .bufferingNewest(1))

    /// Creates an empty store.
    public init() {}

    /// Always true.
    public func validateSchema() async -> Bool { true }

    public func debugInfo() async -> DebugInfo { await debugInfo(containerID: "memory", environment: "in memory") }

    // MARK: Events

    public func append(_ events: [TelemetryEvent]) async throws {
        for event in events {
            if let clientId = event.clientId { try TransportArguments.check(clientId: clientId) }
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
        try TransportArguments.check(limit: limit)
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
        try TransportArguments.check(limit: limit)
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

    // MARK: Records

    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try TransportArguments.check(records)
        var saved: [TelemetryRecord] = []
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        for record in records {
            if let refusal = policy.refusal(of: record, over: self.records[record.recordID]) {
                failures[record.recordID] = refusal
                continue
            }
            savedVersions += 1
            var stored = record
            stored.changeTag = "\(savedVersions)"
            let replaced = self.records.updateValue(stored, forKey: record.recordID)
            saved.append(stored)
            notify(of: stored, replacing: replaced)
        }
        if let failure = TelemetryTransportError.outcome(of: failures, among: records.count) { throw failure }
        return saved
    }

    public func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? { records[id] }

    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        query.apply(to: records.values)
    }

    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        var count = 0
        for id in ids {
            guard let removed = records.removeValue(forKey: id) else { continue }
            count += 1
            notify(of: removed, replacing: nil)
        }
        return count
    }

    /// A subscription for a client is also notified when a record changes to another client.
    private func notify(of record: TelemetryRecord, replacing replaced: TelemetryRecord?) {
        for subscription in subscriptions.values
        where subscription.covers(record) || replaced.map(subscription.covers) ?? false {
            notificationStreams.yield(
                TelemetryNotification(
                    subscriptionID: subscription.id, recordType: record.recordType, recordID: record.recordID))
        }
    }

    // MARK: Subscriptions

    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        subscriptions[subscription.id] = subscription
        return subscription.id
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        subscriptions[id]
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        subscriptions[id] = nil
    }

    public nonisolated func notifications() -> AsyncStream<TelemetryNotification> { notificationStreams.stream() }
}
