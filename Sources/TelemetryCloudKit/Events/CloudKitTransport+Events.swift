#if canImport(CloudKit)
import CloudKit
import Foundation
public import TelemetryModels
import TelemetrySystem
public import TelemetryTransport

extension CloudKitTransport {
    public func append(_ events: [TelemetryEvent]) async throws {
        for event in events {
            if let clientId = event.clientId { try TransportArguments.check(clientId: clientId) }
        }
        try await translatingErrors {
            var known: Set<String> = []
            let numbered = events.enumerated().filter { known.insert($0.element.eventId).inserted }
            let number = CloudKitAppendIndex.newAppend()
            let records = numbered.map { place, event in
                (index: CloudKitAppendIndex.index(of: place, in: number), record: event.toRecord())
            }
            for (_, record) in records where CloudKitBatchPlan.estimatedBytes(of: record) > CloudKitBatchPlan.maximumRecordBytes {
                throw TelemetryTransportError.invalidArgument(
                    "The event \"\(record.recordID)\" is larger than a CloudKit record may be.")
            }
            let batches = CloudKitBatchPlan.batches(
                of: records, identity: \.record.recordID, bytes: { CloudKitBatchPlan.estimatedBytes(of: $0.record) })
            for batch in batches { try await append(batch) }
        }
    }

    private func append(_ batch: [(index: Int64, record: TelemetryRecord)]) async throws {
        let records = try batch.map { index, record in
            let name = CloudKitName.eventName(for: record.recordID.recordName)
            let stored = CKRecord(recordType: TelemetrySchema.recordType, recordID: CKRecord.ID(recordName: name))
            try stored.fill(from: record)
            stored[CloudKitField.appendIndex] = index
            stored.exactTime = record[TelemetrySchema.Field.eventTimestamp.rawValue]?.dateValue
            return stored
        }
        let failures = try await requests.store(records).values.compactMap { outcome -> (any Error)? in
            guard case .failure(let error) = outcome else { return nil }
            // Stored by an earlier attempt, or by another writer with the same identifier: the first one is kept.
            return (error as? TelemetryTransportError)?.code == .conflict ? nil : error
        }
        hub.arrivals.yield(())
        let passing = failures.first { ($0 as? TelemetryTransportError)?.isRetryable ?? true }
        if let failure = passing ?? failures.first { throw failure }
    }

    public func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try TransportArguments.check(limit: limit)
        try filter.validate()
        let empty = try CloudKitEventScan(filter: filter, cursor: cursor, limit: limit)
        return try await translatingErrors {
            // Taken before the query, so that later arrivals are not skipped.
            let newest = filter == .all ? nil : try await newestArrival()
            var scan = empty
            var isExhausted = true
            for query in eventQueries(filter, since: empty.earliest) {
                var part = empty
                if try await !read(query, into: &part) { isExhausted = false }
                scan.merge(part)
            }
            return scan.page(isExhausted: isExhausted, newest: newest)
        }
    }

    /// Reads a query's results until the page is full.
    /// - Returns: Whether the server has nothing more for the query.
    private func read(_ query: CKQuery, into scan: inout CloudKitEventScan) async throws -> Bool {
        do {
            var page = try await database.records(matching: query)
            while true {
                for (_, result) in page.matchResults { scan.add(try result.get()) }
                guard let next = page.queryCursor else { return true }
                if scan.isComplete() { return false }
                page = try await database.records(continuingMatchFrom: next)
            }
        } catch let error as CKError where error.code == .unknownItem {
            // The server does not have the type yet: nothing was ever appended.
            return true
        }
    }

    /// CloudKit cannot count, so this reads the matching records without most of their fields.
    public func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await translatingErrors { try await eventIDs(matching: filter).count }
    }

    /// Events that the index does not show yet are not deleted; a later call deletes them.
    @discardableResult
    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await translatingErrors {
            var count = 0
            for result in try await requests.delete(eventIDs(matching: filter)).values {
                do {
                    try result.get()
                    count += 1
                } catch let error as CKError where error.code == .unknownItem {
                    continue
                }
            }
            return count
        }
    }

    public func eventArrivals() -> AsyncStream<Void> {
        let local = hub.arrivals.stream()
        let ticks = AsyncStream.ticks(every: configuration.eventPollingInterval, clock: ContinuousClock())
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let forwarding = Task {
            await withTaskGroup { group in
                for source in [local, ticks] {
                    group.addTask { for await _ in source { continuation.yield() } }
                }
            }
        }
        continuation.onTermination = { _ in forwarding.cancel() }
        return stream
    }

    private func eventQueries(_ filter: TelemetryEventFilter, since earliest: Date? = nil) -> [CKQuery] {
        CloudKitPredicate.queries(for: filter, created: earliest).map { eventQuery($0, ascending: true) }
    }

    private func eventQuery(_ predicate: CloudKitPredicate, ascending: Bool) -> CKQuery {
        let query = CKQuery(recordType: TelemetrySchema.recordType, predicate: predicate.predicate)
        query.sortDescriptors = [NSSortDescriptor(key: CloudKitPredicate.creationDate, ascending: ascending)]
        return query
    }

    private func newestArrival() async throws -> Double? {
        let query = eventQuery(CloudKitPredicate(), ascending: false)
        let newest = try await requests.find(query, desiredKeys: [], limit: 1).first
        return newest?.creationDate?.timeIntervalSinceReferenceDate
    }

    private func eventIDs(matching filter: TelemetryEventFilter) async throws -> [CKRecord.ID] {
        try filter.validate()
        let keys = filter == .all ? [] : filter.query == nil ? CloudKitPredicate.filterFields : nil
        var ids: Set<CKRecord.ID> = []
        for query in eventQueries(filter) {
            for record in try await requests.find(query, desiredKeys: keys) {
                // Queries ignore case; the filter does not. "All" includes what cannot be read as an event.
                if filter == .all || (try? TelemetryEvent(record: record.telemetryRecord)).map(filter.matches) ?? false {
                    ids.insert(record.recordID)
                }
            }
        }
        return Array(ids)
    }
}

extension CloudKitEventScan {
    fileprivate mutating func add(_ record: CKRecord) {
        let index = (record[CloudKitField.appendIndex] as? NSNumber)?.int64Value ?? 0
        let position = CloudKitEventPosition(
            received: record.creationDate?.timeIntervalSinceReferenceDate ?? 0, index: index,
            name: FNV1a.hash(record.recordID.recordName))
        add(at: position) { try? TelemetryEvent(record: record.telemetryRecord) }
    }
}
#endif
