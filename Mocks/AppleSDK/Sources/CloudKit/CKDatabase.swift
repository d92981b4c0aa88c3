import FakeCloudKitServer
import Foundation

/// <https://developer.apple.com/documentation/cloudkit/ckdatabase>
public final class CKDatabase: Sendable {
    let session: StandInSession
    let name: String

    init(session: StandInSession, name: String) {
        self.session = session
        self.name = name
    }

    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/modifyrecords(saving:deleting:savepolicy:atomically:)>
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        let names = recordsToSave.map(\.recordID.recordName)
        let results = try await perform("save \(names), delete \(recordIDsToDelete.map(\.recordName))") {
            try $0.modify(
                database: name, saving: recordsToSave.map(\.stored), deleting: recordIDsToDelete.map(\.recordName),
                comparesTags: savePolicy == .ifServerRecordUnchanged, by: session.caller)
        }
        var saved: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        for (name, result) in results.saved {
            saved[CKRecord.ID(recordName: name)] = result.map { CKRecord($0) }.mapError { CKError($0) }
        }
        var deleted: [CKRecord.ID: Result<Void, any Error>] = [:]
        for (name, result) in results.deleted { deleted[CKRecord.ID(recordName: name)] = result.mapError { CKError($0) } }
        return (saved, deleted)
    }

    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/records(for:desiredkeys:)>
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        let found = try await perform("fetch \(ids.map(\.recordName))") {
            try $0.fetch(database: name, names: ids.map(\.recordName), by: session.caller)
        }
        var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        for id in ids {
            results[id] =
                found[id.recordName].map { $0.map { CKRecord($0, keys: desiredKeys) }.mapError { CKError($0) } }
                ?? .failure(CKError(standIn: .unknownItem, message: "Record not found"))
        }
        return results
    }

    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/record(for:)>
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        guard let result = try await records(for: [recordID])[recordID] else {
            throw CKError(standIn: .unknownItem, message: "Record not found")
        }
        return try result.get()
    }

    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/save(_:completionhandler:)-3tatz>
    public func save(_ record: CKRecord) async throws -> CKRecord {
        guard let result = try await modifyRecords(saving: [record], deleting: []).saveResults[record.recordID] else {
            throw CKError(standIn: .internalError)
        }
        return try result.get()
    }

    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/deleterecord(withid:)>
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        _ = try await modifyRecords(saving: [], deleting: [recordID]).deleteResults[recordID]?.get()
        return recordID
    }

    /// Performs the request on the server. After a cancellation the request may still have been performed.
    func perform<Value>(_ what: String, _ body: (FakeCloudKitServer) throws -> Value) async throws -> Value {
        do {
            guard let traffic = session.traffic else {
                await Task.yield()
                if Task.isCancelled { throw ServerFault(code: FaultCode.operationCancelled, message: "Cancelled.") }
                return try body(session.server)
            }
            let isAnswered = try await traffic.request(what)
            let value = try body(session.server)
            guard isAnswered else { throw ServerFault(code: FaultCode.serverResponseLost, message: "No answer.") }
            try await traffic.answer(to: what)
            return value
        } catch let fault as ServerFault {
            throw CKError(fault)
        }
    }
}

extension CKRecord {
    /// A copy with only the desired fields.
    convenience init(_ stored: ServerRecord, keys: [FieldKey]?) {
        self.init(stored)
        if let keys { self.stored.fields = stored.fields.filter { keys.contains($0.key) } }
    }
}

/// <https://developer.apple.com/documentation/cloudkit/ckmodifyrecordsoperation>
public enum CKModifyRecordsOperation {
    /// <https://developer.apple.com/documentation/cloudkit/ckmodifyrecordsoperation/recordsavepolicy>
    public enum RecordSavePolicy: Int, Sendable { case ifServerRecordUnchanged, changedKeys, allKeys }
}
