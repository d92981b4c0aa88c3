// The transport of Docs/LiveTelemetry.docc/WritingATransport.md, which uses only public API.
import Foundation
import Synchronization
import TelemetryModels
import TelemetryTransport

/// Everything on the pages of a notebook, which is lost when it is closed.
actor NotebookTransport {
    private var lines: [(number: Int, event: TelemetryEvent)] = []
    private var lastNumber = 0
    private var knownEvents: Set<String> = []
    private var records: [TelemetryRecord.ID: TelemetryRecord] = [:]
    private var lastTag = 0
    private var subscriptions: [TelemetrySubscription.ID: TelemetrySubscription] = [:]
    private let listeners = Mutex<[UUID: AsyncStream<TelemetryNotification>.Continuation]>([:])
}

extension NotebookTransport: TelemetryEventTransport {
    func append(_ events: [TelemetryEvent]) async throws {
        guard events.allSatisfy({ (1...1_024).contains($0.clientId?.utf8.count ?? 1) }) else {
            throw TelemetryTransportError(code: .invalidArgument, message: "A client identifier has 1 to 1,024 bytes.")
        }
        for event in events where knownEvents.insert(event.eventId).inserted {
            lastNumber += 1
            lines.append((lastNumber, event))
        }
    }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        let start = cursor.map { Int($0.rawValue) ?? -1 } ?? 0
        guard limit >= 1, (0...lastNumber).contains(start) else {
            throw TelemetryTransportError(code: .invalidArgument, message: "No such cursor, or a limit below 1.")
        }
        let found = lines.drop { $0.number <= start }.filter { filter.matches($0.event) }
        let page = found.prefix(limit)
        let hasMore = found.count > limit
        let end = hasMore ? page.last?.number ?? start : lastNumber
        return TelemetryEventPage(
            events: page.map(\.event), cursor: TelemetryCursor(rawValue: "\(end)"), hasMore: hasMore)
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        lines.count { filter.matches($0.event) }
    }

    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        let before = lines.count
        lines.removeAll { filter.matches($0.event) }
        return before - lines.count
    }
}

extension NotebookTransport: TelemetryRecordTransport {
    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        var saved: [TelemetryRecord] = []
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        for var record in records {
            if let error = refusal(of: record, policy) {
                failures[record.recordID] = error
                continue
            }
            lastTag += 1
            record.changeTag = "\(lastTag)"
            self.records[record.recordID] = record
            saved.append(record)
            notify(of: record)
        }
        guard let failure = failures.values.first else { return saved }
        if records.count == 1 { throw failure }
        throw TelemetryTransportError(code: .partialFailure, message: "Some were not saved.", failures: failures)
    }

    private func refusal(of record: TelemetryRecord, _ policy: TelemetrySavePolicy) -> TelemetryTransportError? {
        let stored = records[record.recordID]
        let isAllowed =
            switch policy {
            case .overwrite: true
            case .insert: stored == nil
            case .ifUnchanged: stored?.changeTag == record.changeTag
            }
        if isAllowed { return nil }
        guard let stored else { return TelemetryTransportError(code: .notFound, message: "That record is gone.") }
        return TelemetryTransportError(code: .conflict, message: "Another version is stored.", serverRecord: stored)
    }

    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? { records[id] }

    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] { query.apply(to: records.values) }

    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        let removed = ids.compactMap { records.removeValue(forKey: $0) }
        for record in removed { notify(of: record) }
        return removed.count
    }
}

extension NotebookTransport: TelemetrySubscriptionTransport {
    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        subscriptions[subscription.id] = subscription
        return subscription.id
    }

    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? { subscriptions[id] }

    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws { subscriptions[id] = nil }

    nonisolated func notifications() -> AsyncStream<TelemetryNotification> {
        let (stream, listener) = AsyncStream.makeStream(of: TelemetryNotification.self)
        let id = UUID()
        listeners.withLock { $0[id] = listener }
        listener.onTermination = { [weak self] _ in self?.listeners.withLock { $0[id] = nil } }
        return stream
    }

    private func notify(of record: TelemetryRecord) {
        let client = record[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue
        for subscription in subscriptions.values
        where subscription.recordType == record.recordType && (subscription.clientId ?? client) == client {
            let notification = TelemetryNotification(
                subscriptionID: subscription.id, recordType: record.recordType, recordID: record.recordID)
            for listener in listeners.withLock(\.values) { listener.yield(notification) }
        }
    }
}

extension NotebookTransport: TelemetryTransporting {
    func validateSchema() async -> Bool { true }

    func debugInfo() async -> DebugInfo {
        DebugInfo(
            containerID: "notebook", buildType: "DEBUG", environment: "in memory", testQueryResults: records.count,
            firstRecordID: nil, firstRecordFields: [], recordCount: lines.count, errorMessage: nil)
    }
}
