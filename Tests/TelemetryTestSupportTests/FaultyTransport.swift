import Foundation
import TelemetryModels
import TelemetryTransport

/// A transport in memory with one fault for the conformance suite to find.
struct FaultyTransport: TelemetryTransporting {
    enum Fault: String, CaseIterable, Sendable {
        case readsNewestFirst, losesAttributes, excludesSince, emptySetMatchesAll, acceptsAnyLimit, acceptsAnyClient
        case ignoresCursors, deletesAllEvents, comparesBytes
        case insertOverwrites, ignoresChangeTags, checksThenSaves, hidesServerRecord, hidesFailures, foldsCase
        case sendsNoNotifications, notifiesForEveryClient, throwsForeignErrors, endsStreams
        case shortensBatches
    }

    struct Foreign: Error {}

    let fault: Fault
    private let store = InMemoryTelemetryTransport()

    init(_ fault: Fault) { self.fault = fault }

    func append(_ events: [TelemetryEvent]) async throws {
        if fault == .acceptsAnyClient { return try await store.append(events.filter { $0.clientId != "" }) }
        guard fault == .losesAttributes else { return try await store.append(events) }
        try await store.append(
            events.map { event in
                TelemetryEvent(
                    eventId: event.eventId, clientId: event.clientId, sessionId: event.sessionId, sequence: event.sequence,
                    name: event.name, timestamp: event.timestamp, device: event.device, threadId: event.threadId,
                    property1: event.property1, scenario: event.scenario, level: event.level)
            })
    }

    func append(_ batch: TelemetryEventBatch) async throws {
        try await append(fault == .shortensBatches ? Array(batch.events.dropLast()) : batch.events)
    }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        if fault == .throwsForeignErrors, limit < 1 { throw Foreign() }
        let page = try await store.events(
            matching: twisted(filter), after: fault == .ignoresCursors ? nil : cursor,
            limit: fault == .acceptsAnyLimit ? max(limit, 1) : limit)
        let events =
            switch fault {
            case .readsNewestFirst: Array(page.events.reversed())
            case .comparesBytes: page.events.filter { isSpelled(filter.clientId, $0.clientId) }
            default: page.events
            }
        return TelemetryEventPage(events: events, cursor: page.cursor, hasMore: page.hasMore)
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await store.countEvents(matching: twisted(filter))
    }

    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await store.deleteEvents(matching: fault == .deletesAllEvents ? .all : twisted(filter))
    }

    func eventArrivals() -> AsyncStream<Void> {
        fault == .endsStreams ? AsyncStream { $0.finish() } : store.eventArrivals()
    }

    private func twisted(_ filter: TelemetryEventFilter) -> TelemetryEventFilter {
        var filter = filter
        if fault == .excludesSince { filter.since = filter.since?.addingTimeInterval(0.001) }
        if fault == .emptySetMatchesAll {
            if filter.names == [] { filter.names = nil }
            if filter.scenarios == [] { filter.scenarios = nil }
            if filter.levels == [] { filter.levels = nil }
        }
        return filter
    }

    private func isSpelled(_ wanted: String?, _ found: String?) -> Bool {
        guard let wanted else { return true }
        return found.map { $0.utf8.elementsEqual(wanted.utf8) } ?? false
    }
}

extension FaultyTransport {
    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        do {
            switch (fault, policy) {
            case (.insertOverwrites, .insert), (.ignoresChangeTags, .ifUnchanged):
                return try await store.save(records, policy: .overwrite)
            case (.checksThenSaves, .ifUnchanged):
                for record in records {
                    let stored = try await store.record(withID: record.recordID)
                    if stored?.changeTag != record.changeTag {
                        throw TelemetryTransportError(code: .conflict, message: "", serverRecord: stored)
                    }
                    await Task.yield()
                }
                return try await store.save(records, policy: .overwrite)
            default:
                return try await store.save(records.map(folded), policy: policy)
            }
        } catch let error as TelemetryTransportError where fault == .hidesServerRecord || fault == .hidesFailures {
            throw TelemetryTransportError(
                code: error.code, message: error.message,
                serverRecord: fault == .hidesServerRecord ? nil : error.serverRecord,
                failures: fault == .hidesFailures ? [:] : error.failures)
        }
    }

    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        try await store.record(withID: folded(id))
    }

    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        try await store.records(matching: query)
    }

    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        try await store.deleteRecords(withIDs: ids.map(folded))
    }

    private func folded(_ id: TelemetryRecord.ID) -> TelemetryRecord.ID {
        fault == .foldsCase ? .init(recordName: id.recordName.lowercased()) : id
    }

    private func folded(_ record: TelemetryRecord) -> TelemetryRecord {
        guard fault == .foldsCase else { return record }
        var copy = TelemetryRecord(recordType: record.recordType, recordID: folded(record.recordID))
        copy.changeTag = record.changeTag
        for (field, value) in record.fields { copy[field] = value }
        return copy
    }
}

extension FaultyTransport {
    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        guard fault == .notifiesForEveryClient else { return try await store.save(subscription) }
        return try await store.save(TelemetrySubscription(id: subscription.id, recordType: subscription.recordType))
    }

    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try await store.subscription(withID: id)
    }

    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await store.deleteSubscription(withID: id)
    }

    func notifications() -> AsyncStream<TelemetryNotification> {
        fault == .sendsNoNotifications ? AsyncStream { _ in } : store.notifications()
    }

    func validateSchema() async -> Bool { true }

    func debugInfo() async -> DebugInfo { await store.debugInfo() }
}
