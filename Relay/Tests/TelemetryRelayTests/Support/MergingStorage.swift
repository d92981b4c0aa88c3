import Foundation
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// A storage that merges its blocks of events after each batch.
struct MergingStorage: ComposedRelayStorage {
    let base: SQLiteRelayStorage
    let stores: RelayStores

    init(_ base: SQLiteRelayStorage) {
        self.base = base
        stores = RelayStores(
            events: MergingEvents(base: base.events), records: base.stores.records, subscriptions: base.stores.subscriptions,
            tokens: base.stores.tokens, clientKeys: base.stores.clientKeys)
    }

    func check() async throws { try await base.check() }
    func usage() async throws -> RelayUsage { try await base.usage() }
    func expire() async throws { try await base.expire() }
    func run() async throws { try await base.run() }
    func close() async throws { try await base.close() }
}

private struct MergingEvents: RelayEventStorage {
    let base: SQLiteEventStore

    func append(_ events: [RelayEvent]) async throws -> RelayAppendResult {
        let result = try await base.append(events)
        try await base.merge(after: 0)
        return result
    }

    func events(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        try await base.events(matching: filter, after: cursor, limit: limit, order: order)
    }

    func countEvents(matching filter: RelayEventFilter) async throws -> Int { try await base.countEvents(matching: filter) }
    func deleteEvents(matching filter: RelayEventFilter) async throws -> Int { try await base.deleteEvents(matching: filter) }
    func latestEventCursor() async throws -> RelayEventCursor { try await base.latestEventCursor() }
    func eventHints(of clients: Set<String>?) -> AsyncStream<Void> { base.eventHints(of: clients) }
}

extension RelayStorage {
    /// The storage, if it is in SQLite.
    var sqlite: SQLiteRelayStorage? { self as? SQLiteRelayStorage ?? (self as? MergingStorage)?.base }
}

extension SQLiteRelayStorage {
    /// Compares the counters with the tables.
    func checkSums() async throws {
        let (state, bytes, remembered, stored) = try await database.read { db in
            let connection = StorageConnection(database: db)
            let size = "length(summary) + length(entries) + length(body) + \(EncodedBlock.overhead)"
            return (
                try RelayState.fetch(db), try connection.int("SELECT SUM(\(size)) FROM event_block") ?? 0,
                try connection.int("SELECT COUNT(*) FROM event_identity WHERE stored = 0"),
                try connection.int("SELECT SUM(stored) FROM event_identity") ?? 0
            )
        }
        #expect(state.eventBytes == bytes)
        #expect(state.remembered == remembered)
        #expect(state.events == stored)
    }
}
