import Synchronization
import TelemetryModels
import TelemetryTransport

/// The rules of a store: the viewer's transport, which counts its writes.
final class RuleStore: TelemetryRecordTransport {
    let store = InMemoryTelemetryTransport()
    private let count = Mutex(0)

    /// The number of calls that saved or deleted records.
    var writes: Int { count.withLock(\.self) }

    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        count.withLock { $0 += 1 }
        return try await store.save(records, policy: policy)
    }
    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        count.withLock { $0 += 1 }
        return try await store.deleteRecords(withIDs: ids)
    }
    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? { try await store.record(withID: id) }
    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        try await store.records(matching: query)
    }
}
