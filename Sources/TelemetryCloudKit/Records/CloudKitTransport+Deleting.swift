#if canImport(CloudKit)
import CloudKit
import Foundation
public import TelemetryModels
import TelemetryTransport

extension CloudKitTransport {
    /// Removes records. A command that the caller may not delete is hidden from the caller and the viewer.
    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        let names = Set(ids.map(\.recordName)).filter { !$0.isEmpty }.map(CloudKitName.name(for:))
        return try await translatingErrors {
            // CloudKit does not report whether a deleted record existed.
            let stored = try await stored(names.sorted().map { CKRecord.ID(recordName: $0) })
            let visible = stored.compactMapValues(\.telemetryRecord)
            var removed: [TelemetryRecord] = []
            var orphans: [CKRecord.ID] = []
            var failure: (any Error)?
            for (id, result) in try await delete(Array(visible.keys)) {
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
                    if try await hide(wasStored) { removed.append(record) }
                } catch {
                    failure = failure ?? error
                }
            }
            if !orphans.isEmpty { _ = try await delete(orphans) }
            for record in removed { hub.notify(of: record) }
            if let failure { throw failure }
            return removed.count
        }
    }

    /// Deletes records, in as many operations as needed.
    func delete(_ ids: [CKRecord.ID]) async throws -> [CKRecord.ID: Result<Void, any Error>] {
        var results: [CKRecord.ID: Result<Void, any Error>] = [:]
        for batch in CloudKitBatchPlan.batches(of: ids, identity: \.self, bytes: { _ in 0 }) {
            results.merge(try await deleteBatch(batch)) { _, new in new }
        }
        return results
    }

    private func deleteBatch(_ ids: [CKRecord.ID]) async throws -> [CKRecord.ID: Result<Void, any Error>] {
        do {
            return try await database.modifyRecords(saving: [], deleting: ids, atomically: false).deleteResults
        } catch let error as CKError where error.code == .partialFailure {
            let failures = error.partialErrorsByItemID ?? [:]
            var results: [CKRecord.ID: Result<Void, any Error>] = [:]
            for id in ids { results[id] = failures[id].map { .failure($0) } ?? .success(()) }
            return results
        } catch let error as CKError where error.code == .limitExceeded && ids.count > 1 {
            let half = ids.count / 2
            let first = try await deleteBatch(Array(ids[..<half]))
            return try await deleteBatch(Array(ids[half...])).merging(first) { _, first in first }
        }
    }
}
#endif
