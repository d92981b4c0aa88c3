#if canImport(CloudKit)
import CloudKit
public import TelemetryModels
public import TelemetryTransport

extension CloudKitTransport {
    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try NameRules.check(records)
        return try await translatingErrors {
            var saved: [TelemetryRecord] = []
            var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
            let batches = CloudKitBatchPlan.batches(
                of: records, identity: \.recordID, bytes: CloudKitBatchPlan.estimatedBytes)
            for batch in batches {
                for (record, outcome) in zip(batch, try await save(batch: batch, policy: policy)) {
                    switch outcome {
                    case .success(let stored):
                        saved.append(stored)
                        hub.notify(of: stored)
                    case .failure(let error):
                        guard let error = error as? TelemetryTransportError else { throw error }
                        failures[record.recordID] = error
                    }
                }
            }
            if let failure = TelemetryTransportError.outcome(of: failures, among: records.count) { throw failure }
            return saved
        }
    }

    public func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        guard !id.recordName.isEmpty else { return nil }
        return try await translatingErrors {
            let cloudKitID = CKRecord.ID(recordName: CloudKitName.name(for: id.recordName))
            return try await stored([cloudKitID])[cloudKitID]?.telemetryRecord
        }
    }

    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        guard CloudKitName.isIdentifier(query.recordType) else { return [] }
        return try await translatingErrors {
            let cloudKitQuery = CKQuery(recordType: query.recordType, predicate: CloudKitPredicate(query).predicate)
            // By identifier, because pages are offsets and a record that moves between two pages is returned twice.
            let found = try await withReceipts(find(cloudKitQuery)).values.compactMap(\.telemetryRecord)
            return query.apply(to: found)
        }
    }
}
#endif
