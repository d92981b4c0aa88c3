#if canImport(CloudKit)
import CloudKit
import Foundation
import TelemetryModels
import TelemetryTransport

/// Requests to a database, each in as many operations as CloudKit's limits need. A record that was not saved because of others in its
/// operation is saved alone, once.
struct CloudKitRequests: Sendable {
    /// The record as stored, or the error.
    typealias Outcome = Result<TelemetryRecord, any Error>

    static let missingResult = Outcome.failure(
        TelemetryTransportError(code: .unavailable, message: "CloudKit returned no result for a record."))

    let database: CKDatabase

    /// Saves records with different identifiers, each only if the stored version is unchanged since it was read.
    func store(_ records: [CKRecord]) async throws -> [CKRecord.ID: Outcome] {
        let results: [CKRecord.ID: Result<CKRecord, any Error>]
        do {
            results = try await database.modifyRecords(
                saving: records, deleting: [], savePolicy: .ifServerRecordUnchanged, atomically: false
            ).saveResults
        } catch let error as CKError where error.code == .partialFailure {
            results = try await self.results(of: error, saving: records)
        } catch let error as CKError where error.code == .limitExceeded && records.count > 1 {
            let half = records.count / 2
            let first = try await store(Array(records[..<half]))
            return try await store(Array(records[half...])).merging(first) { _, first in first }
        }
        var outcomes: [CKRecord.ID: Outcome] = [:]
        for record in records {
            switch results[record.recordID] {
            case .success(let saved)?: outcomes[record.recordID] = .success(saved.telemetryRecord)
            case .failure(let error as CKError)? where records.count > 1 && error.isWorthRetryingAlone:
                outcomes.merge(try await store([record])) { _, new in new }
            case .failure(let error)?: outcomes[record.recordID] = .failure(TelemetryTransportError.translating(error))
            case nil:
                outcomes[record.recordID] = Self.missingResult
            }
        }
        return outcomes
    }

    /// Returns the results of an operation that failed because some items did. The items without an error are stored.
    private func results(
        of error: CKError, saving records: [CKRecord]
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        let failures = error.partialErrorsByItemID ?? [:]
        var results = try await fetch(records.map(\.recordID).filter { failures[$0] == nil })
            .mapValues { Result<CKRecord, any Error>.success($0) }
        for record in records {
            if let failure = failures[record.recordID] { results[record.recordID] = .failure(failure) }
        }
        return results
    }

    /// Returns the stored records, by their CloudKit identifiers. Records that the caller may not read count as missing.
    func fetch(_ ids: [CKRecord.ID]) async throws -> [CKRecord.ID: CKRecord] {
        var found: [CKRecord.ID: CKRecord] = [:]
        for batch in CloudKitBatchPlan.batches(of: ids, identity: \.self, bytes: { _ in 0 }) {
            for (id, result) in try await fetchBatch(batch) {
                do {
                    found[id] = try result.get()
                } catch let error as CKError where error.code == .unknownItem || error.code == .permissionFailure {
                    continue
                }
            }
        }
        return found
    }

    private func fetchBatch(_ ids: [CKRecord.ID]) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        do {
            return try await database.records(for: ids)
        } catch let error as CKError where error.code == .limitExceeded && ids.count > 1 {
            let half = ids.count / 2
            let first = try await fetchBatch(Array(ids[..<half]))
            return try await fetchBatch(Array(ids[half...])).merging(first) { _, first in first }
        }
    }

    /// Returns every record that a query finds, following its cursors to the end. Empty if the server does not have the record
    /// type yet.
    func find(_ query: CKQuery, desiredKeys: [String]? = nil, limit: Int? = nil) async throws -> [CKRecord] {
        var found: [CKRecord] = []
        let pageSize = limit ?? CKQueryOperation.maximumResults
        do {
            var page = try await database.records(matching: query, desiredKeys: desiredKeys, resultsLimit: pageSize)
            while true {
                found += try page.matchResults.map { try $0.1.get() }
                guard let cursor = page.queryCursor, limit.map({ found.count < $0 }) ?? true else { return found }
                page = try await database.records(continuingMatchFrom: cursor, desiredKeys: desiredKeys, resultsLimit: pageSize)
            }
        } catch let error as CKError where error.code == .unknownItem {
            return found
        }
    }

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

extension CKError {
    var isWorthRetryingAlone: Bool { CloudKitErrorCode(rawValue: code.rawValue)?.isWorthRetryingAlone ?? false }
}

/// Runs a body and converts its CloudKit errors to the transport's.
func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch {
        throw TelemetryTransportError.translating(error)
    }
}
#endif
