import Foundation
public import TelemetryModels
import TelemetrySystem
public import TelemetryTransport

extension HTTPTelemetryTransport {
    /// Stores records, in as many requests as the relay's limits need.
    ///
    /// If a later request of several fails as a whole, `.partialFailure` contains its records and those of the requests after it.
    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try TransportArguments.check(records)
        var saved: [TelemetryRecord] = []
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        var rest = records[...]
        var most = client.limits.saveRecords
        while !rest.isEmpty {
            let batch = rest.prefix(most)
            do {
                saved += try await saveAtOnce(batch, policy: policy)
                rest = rest.dropFirst(batch.count)
            } catch let error as TelemetryTransportError where error.code == .partialFailure {
                failures.merge(error.failures) { first, _ in first }
                rest = rest.dropFirst(batch.count)
            } catch let error as TelemetryTransportError where error.code == .quotaExceeded && batch.count > 1 {
                most = batch.count / 2
                if (try? await client.adoptLimits()) == true { most = min(batch.count, client.limits.saveRecords) }
            } catch let error as TelemetryTransportError {
                let isOne = batch.count == 1 && !error.isRetryable
                if saved.isEmpty, failures.isEmpty, !isOne || records.count == 1 { throw error }
                for record in isOne ? batch : rest { failures[record.recordID] = error }
                rest = isOne ? rest.dropFirst() : []
            }
        }
        if let error = TelemetryTransportError.outcome(of: failures, among: records.count) { throw error }
        return saved
    }

    private func saveAtOnce(
        _ records: ArraySlice<TelemetryRecord>, policy: TelemetrySavePolicy
    ) async throws -> [TelemetryRecord] {
        let clients = Set(records.compactMap { $0[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue })
        let body = try await client.send(
            .init(
                .post, "v1", "records", body: try RecordEncoder.save(records, policy: policy), subject: .clients(clients)))
        let saved = try RecordPage(relayBody: body).records
        guard saved.count == records.count else { throw RelayClient.unexpectedAnswer }
        return saved
    }

    /// Returns the stored record, or nil if there is none.
    public func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        // There is no route for an empty name.
        if id.recordName.isEmpty { return nil }
        let body: Data
        do {
            body = try await client.send(.init(.get, "v1", "records", id.recordName, subject: .anyKnown))
        } catch let error as TelemetryTransportError where error.code == .notFound { return nil }
        var record: TelemetryRecord?
        let isRead = body.withScanner { scanner in
            record = scanner.wireRecord()
            return record != nil
        }
        guard isRead, let record else { throw RelayClient.unexpectedAnswer }
        return record
    }

    /// Returns the stored records that match the query, in its order. Reads them in pages.
    ///
    /// A record that changes in the meantime may appear as it was before or after; one that moves in the order may be missing.
    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        let clients = query.conditions[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue.map { Set([$0]) } ?? []
        var found: [TelemetryRecord.ID: TelemetryRecord] = [:]
        var cursor: String?
        while true {
            let body = try RecordEncoder.query(query, after: cursor)
            let page = try RecordPage(
                relayBody: try await client.send(.init(.post, "v1", "records", "query", body: body, subject: .clients(clients))))
            if cursor == nil, !page.hasMore { return page.records }
            let count = found.count
            for record in page.records { found[record.recordID] = record }
            guard page.hasMore else { return query.sort(found.values) }
            // Pages without new records might never end.
            guard found.count > count, let next = page.cursor else { throw RelayClient.unexpectedAnswer }
            cursor = next
        }
    }

    /// Removes records and returns the number of those that existed.
    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        var rest = ids[...]
        var most = client.limits.saveRecords
        var deleted = 0
        while !rest.isEmpty {
            let batch = rest.prefix(most)
            do {
                deleted += try Self.count(
                    "deleted",
                    in: try await client.send(
                        .init(.post, "v1", "records", "delete", body: RecordEncoder.delete(batch), subject: .anyKnown)))
                rest = rest.dropFirst(batch.count)
            } catch let error as TelemetryTransportError where error.code == .quotaExceeded && batch.count > 1 {
                most = batch.count / 2
            }
        }
        return deleted
    }
}

/// The records of a response, and where the next ones begin.
private struct RecordPage {
    var records: [TelemetryRecord]
    /// Nil in a response of a relay without pages.
    var cursor: String?
    var hasMore = false

    init(relayBody body: Data) throws {
        var records: [TelemetryRecord]?
        var cursor: String?
        var hasMore = false
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                if key.isIdentical(to: "cursor") { return scanner.read(&cursor) }
                if key.isIdentical(to: "hasMore") { return scanner.read(&hasMore) }
                guard key.isIdentical(to: "records") else { return scanner.skipValue() }
                records = scanner.wireRecords()
                return records != nil
            }
        }
        guard isRead, let records else { throw RelayClient.unexpectedAnswer }
        (self.records, self.cursor, self.hasMore) = (records, cursor, hasMore)
    }
}

extension HTTPTelemetryTransport {
    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try Self.check(subscription.id)
        try await client.send(
            .init(
                .put, "v1", "subscriptions", subscription.id, body: RecordEncoder.subscription(subscription),
                subject: .clients(subscription.clientId.map { [$0] } ?? [])))
        return subscription.id
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        if id.isEmpty { return nil }
        let body: Data
        do {
            body = try await client.send(.init(.get, "v1", "subscriptions", id, subject: .anyKnown))
        } catch let error as TelemetryTransportError where error.code == .notFound { return nil }
        var type: String?
        var clientId: String?
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                if key.isIdentical(to: "recordType") { return scanner.read(&type) }
                if key.isIdentical(to: "clientid") { return scanner.read(&clientId) }
                return scanner.skipValue()
            }
        }
        guard isRead, let type else { throw RelayClient.unexpectedAnswer }
        return TelemetrySubscription(id: id, recordType: type, clientId: clientId)
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        if id.isEmpty { return }
        do {
            try await client.send(.init(.delete, "v1", "subscriptions", id, subject: .anyKnown))
        } catch let error as TelemetryTransportError where error.code == .notFound {}
    }

    /// Returns the changes from now on, for every saved subscription that the relay allows this caller.
    ///
    /// All streams share one connection, which is open while there are consumers and is reopened when it ends. If changes may
    /// have been missed, also between this call and the relay's first response, each stream receives one notification without any
    /// field: refresh everything. A host's connection waits for ``setClientIdentifier(_:)``.
    public func notifications() -> AsyncStream<TelemetryNotification> { notificationStream.stream() }

    private static func check(_ id: TelemetrySubscription.ID) throws(TelemetryTransportError) {
        if id.isEmpty { throw .invalidArgument("A subscription's identifier must not be empty.") }
    }
}
