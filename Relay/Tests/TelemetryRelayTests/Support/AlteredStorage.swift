import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// A storage with other stores.
struct AlteredStorage: RelayStorage {
    let base: any RelayStorage
    private(set) var stores: RelayStores

    init(_ base: any RelayStorage, _ change: (inout RelayStores) throws -> Void) rethrows {
        self.base = base
        stores = base.stores
        try change(&stores)
    }

    /// Merges the blocks of events after each batch.
    static func merging(_ base: any RelayStorage) throws -> AlteredStorage {
        try AlteredStorage(base) { $0.events = MergingEvents(base: try #require(base.tables).events) }
    }

    func check() async throws { try await base.check() }
    func usage() async throws -> RelayUsage { try await base.usage() }
    func expire() async throws { try await base.expire() }
    func run() async throws { try await base.run() }
    func close() async throws { try await base.close() }
}

private struct MergingEvents: RelayEventStorage {
    let base: EventStore

    func append(_ batch: RelayEventBatch) async throws -> RelayAppendResult {
        let result = try await base.append(batch)
        try await base.merge(after: 0)
        return result
    }

    func page(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        try await base.page(matching: filter, after: cursor, limit: limit, order: order)
    }

    func count(matching filter: RelayEventFilter) async throws -> Int { try await base.count(matching: filter) }

    func scenarioSizes() async throws -> (sizes: [RelayScenarioSize], hasMore: Bool) {
        try await base.scenarioSizes()
    }

    func result(
        of query: TelemetryQuery, matching filter: RelayEventFilter, now: Date, limit: Int, byteLimit: Int
    ) async throws -> RelayQueryResult {
        try await base.result(of: query, matching: filter, now: now, limit: limit, byteLimit: byteLimit)
    }

    func delete(
        matching filter: RelayEventFilter, entry: @escaping @Sendable () -> RelayAuditEntry?
    ) async throws -> Int {
        try await base.delete(matching: filter, entry: entry)
    }

    func latestCursor() async throws -> RelayEventCursor { try await base.latestCursor() }
    func hints(of clients: Set<String>?) -> AsyncStream<Void> { base.hints(of: clients) }
}

extension RelayStorage {
    /// The database of a storage, and its store of events.
    var tables: (database: any StorageDatabase, events: EventStore)? {
        switch self {
        case let storage as AlteredStorage: return storage.base.tables
        case let storage as SQLiteRelayStorage: return (storage.database, storage.parts.events)
        default:
            #if PostgreSQL
            return (self as? PostgreSQLRelayStorage).map { ($0.database, $0.parts.events) }
            #else
            return nil
            #endif
        }
    }

    /// Compares the counters with the tables.
    func checkSums() async throws {
        let (state, bytes, remembered, stored) = try await #require(tables).database.read { db in
            return (
                try EventState.fetch(db), try db.int("SELECT SUM(\(EncodedBlock.storedSize)) FROM event_block") ?? 0,
                try db.int("SELECT COUNT(*) FROM event_identity WHERE stored = 0"),
                try db.int("SELECT CAST(SUM(stored) AS BIGINT) FROM event_identity") ?? 0
            )
        }
        #expect(state.eventBytes == bytes)
        #expect(state.remembered == remembered)
        #expect(state.events == stored)
    }
}

extension EncodedBlock {
    /// The size of a row by its columns.
    static let storedSize = "length(summary) + COALESCE(length(words), 0) + length(entries) + length(body) + \(overhead)"
}
