#if canImport(CloudKit)
import CloudKit
import TelemetryModels
import TelemetryTransport

/// How records reach the server: in batches that it takes, what failed for its company's sake tried once more alone.
extension CloudKitTransport {
    /// What became of a record: as stored, or why not.
    typealias Outcome = Result<TelemetryRecord, any Error>

    /// Saves records that no two of which have one identity, each where the stored version is still the one that it was made from.
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
                outcomes[record.recordID] = .failure(
                    TelemetryTransportError(
                        code: .unavailable, message: "CloudKit said nothing of a record that was to be saved."))
            }
        }
        return outcomes
    }

    /// What an operation came to that failed as a whole because some items did: what it does not name as failed is stored.
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

    /// The stored records among these, by their names at CloudKit. What the caller may not read is not there for it.
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

    /// Every record that a query finds, following its cursors to the end. A type that the server does not know yet has none.
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
}

extension CKError {
    var isWorthRetryingAlone: Bool { CloudKitErrorCode(rawValue: code.rawValue)?.isWorthRetryingAlone ?? false }
}

/// Runs a body whose errors are CloudKit's, and throws what they mean.
func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch {
        throw TelemetryTransportError.translating(error)
    }
}
#endif
