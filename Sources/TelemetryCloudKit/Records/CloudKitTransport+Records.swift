#if canImport(CloudKit)
import CloudKit
import Foundation
public import TelemetryModels
public import TelemetryTransport

extension CloudKitTransport {
    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try TransportArguments.check(records)
        return try await translatingErrors {
            var saved: [TelemetryRecord] = []
            var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
            let batches = CloudKitBatchPlan.batches(
                of: records, identity: \.recordID, bytes: CloudKitBatchPlan.estimatedBytes)
            for batch in batches {
                for (record, outcome) in zip(batch, try await saving.save(batch, policy: policy)) {
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
            return try await receipts.stored([cloudKitID])[cloudKitID]?.telemetryRecord
        }
    }

    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        guard CloudKitName.isIdentifier(query.recordType) else { return [] }
        return try await translatingErrors {
            let cloudKitQuery = CKQuery(recordType: query.recordType, predicate: CloudKitPredicate(query).predicate)
            // By identifier, because pages are offsets and a record that moves between two pages is returned twice.
            let found = try await receipts.withReceipts(requests.find(cloudKitQuery)).values.compactMap(\.telemetryRecord)
            return query.apply(to: found)
        }
    }

    /// Removes records. A command that the caller may not delete is hidden from the caller and the viewer.
    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        let names = Set(ids.map(\.recordName)).filter { !$0.isEmpty }.map(CloudKitName.name(for:))
        return try await translatingErrors {
            // CloudKit does not report whether a deleted record existed.
            let stored = try await receipts.stored(names.sorted().map { CKRecord.ID(recordName: $0) })
            let visible = stored.compactMapValues(\.telemetryRecord)
            var removed: [TelemetryRecord] = []
            var orphans: [CKRecord.ID] = []
            var failure: (any Error)?
            for (id, result) in try await requests.delete(Array(visible.keys)) {
                guard let record = visible[id], let wasStored = stored[id] else { continue }
                do {
                    try result.get()
                    removed.append(record)
                    if let receipt = wasStored.receipt { orphans.append(receipt.recordID) }
                } catch let error as CKError where error.code == .unknownItem {
                    continue
                } catch let error as CKError
                    where error.code == .permissionFailure && record.recordType == TelemetrySchema.commandRecordType
                {
                    if try await receipts.hide(wasStored) { removed.append(record) }
                } catch {
                    failure = failure ?? error
                }
            }
            if !orphans.isEmpty { _ = try await requests.delete(orphans) }
            for record in removed { hub.notify(of: record) }
            if let failure { throw failure }
            return removed.count
        }
    }
}
#endif
