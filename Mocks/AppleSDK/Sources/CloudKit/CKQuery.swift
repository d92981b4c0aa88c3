import FakeCloudKitServer
public import Foundation

/// <https://developer.apple.com/documentation/cloudkit/ckquery>
public final class CKQuery {
    public let recordType: CKRecord.RecordType
    public let predicate: NSPredicate
    /// <https://developer.apple.com/documentation/cloudkit/ckquery/sortdescriptors>
    public var sortDescriptors: [NSSortDescriptor]?

    /// <https://developer.apple.com/documentation/cloudkit/ckquery/init(recordtype:predicate:)>
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
    }

    func serverQuery() throws -> ServerQuery {
        let (format, arguments) = try predicate.standIn()
        let order = sortDescriptors?.first
        guard order == nil || order?.keyPath == \StandInSortKey.creationDate, (sortDescriptors?.count ?? 0) < 2 else {
            throw CKError(standIn: .invalidArguments, message: "The stand-in sorts only by creation time.")
        }
        return ServerQuery(type: recordType, format: format, arguments: arguments, ascendingByCreation: order?.ascending)
    }
}

/// <https://developer.apple.com/documentation/cloudkit/ckqueryoperation>
public enum CKQueryOperation {
    /// <https://developer.apple.com/documentation/cloudkit/ckqueryoperation/maximumresults>
    public static let maximumResults = 0

    /// <https://developer.apple.com/documentation/cloudkit/ckqueryoperation/cursor-swift.class>
    public final class Cursor {
        let query: ServerQuery
        let offset: Int

        init(query: ServerQuery, offset: Int) {
            self.query = query
            self.offset = offset
        }
    }
}

extension CKDatabase {
    public typealias StandInPage = (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    )

    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/records(matching:inzonewith:desiredkeys:resultslimit:)>,
    /// without zones.
    public func records(
        matching query: CKQuery, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> StandInPage {
        try await page(query.serverQuery(), 0, desiredKeys, resultsLimit)
    }

    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/records(continuingmatchfrom:desiredkeys:resultslimit:)>
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> StandInPage {
        try await page(queryCursor.query, queryCursor.offset, desiredKeys, resultsLimit)
    }

    private func page(
        _ query: ServerQuery, _ offset: Int, _ keys: [CKRecord.FieldKey]?, _ limit: Int
    ) async throws -> StandInPage {
        let page = try await perform("query \(query.type) from \(offset)") {
            try $0.find(database: name, query, offset: offset, limit: limit > 0 ? limit : nil, by: session.caller)
        }
        let results = page.records.map { record in
            (CKRecord.ID(recordName: record.name), Result<CKRecord, any Error>.success(CKRecord(record, keys: keys)))
        }
        return (results, page.next.map { CKQueryOperation.Cursor(query: query, offset: $0) })
    }
}
