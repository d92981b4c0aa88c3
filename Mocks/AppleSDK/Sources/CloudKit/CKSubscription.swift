import FakeCloudKitServer
public import Foundation

/// <https://developer.apple.com/documentation/cloudkit/cksubscription>
public class CKSubscription {
    /// <https://developer.apple.com/documentation/cloudkit/cksubscription/id>
    public typealias ID = String

    /// <https://developer.apple.com/documentation/cloudkit/cksubscription/notificationinfo-swift.class>
    public final class NotificationInfo {
        /// <https://developer.apple.com/documentation/cloudkit/cksubscription/notificationinfo-swift.class/shouldsendcontentavailable>
        public var shouldSendContentAvailable = false
        public init() {}
    }

    /// <https://developer.apple.com/documentation/cloudkit/cksubscription>
    public let subscriptionID: ID
    /// <https://developer.apple.com/documentation/cloudkit/cksubscription/notificationinfo-swift.property>
    public var notificationInfo: NotificationInfo?

    init(subscriptionID: ID) { self.subscriptionID = subscriptionID }

    func serverSubscription() throws -> ServerSubscription {
        throw CKError(standIn: .invalidArguments, message: "The stand-in supports only query subscriptions.")
    }
}

/// <https://developer.apple.com/documentation/cloudkit/ckquerysubscription>
public final class CKQuerySubscription: CKSubscription {
    /// <https://developer.apple.com/documentation/cloudkit/ckquerysubscription/options>
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let firesOnRecordCreation = Options(rawValue: 1)
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        public static let firesOnRecordDeletion = Options(rawValue: 4)
    }

    let query: CKQuery
    let options: Options

    /// <https://developer.apple.com/documentation/cloudkit/ckquerysubscription/init(recordtype:predicate:subscriptionid:options:)>
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID, options: Options) {
        query = CKQuery(recordType: recordType, predicate: predicate)
        self.options = options
        super.init(subscriptionID: subscriptionID)
    }

    override func serverSubscription() throws -> ServerSubscription {
        guard options == [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion], let notificationInfo else {
            throw CKError(standIn: .invalidArguments, message: "The stand-in needs all options and notification info.")
        }
        return ServerSubscription(
            name: subscriptionID, query: try query.serverQuery(), isSilent: notificationInfo.shouldSendContentAvailable)
    }
}

extension CKDatabase {
    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/modifysubscriptions(saving:deleting:)>
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        let saved = try subscriptionsToSave.map { try $0.serverSubscription() }
        try await perform("save subscriptions") { try $0.save(saved, deleting: subscriptionIDsToDelete, by: session.caller) }
        var results: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
        for subscription in subscriptionsToSave { results[subscription.subscriptionID] = .success(subscription) }
        return (results, Dictionary(uniqueKeysWithValues: subscriptionIDsToDelete.map { ($0, .success(())) }))
    }

    /// <https://developer.apple.com/documentation/cloudkit/ckdatabase/allsubscriptions()>
    public func allSubscriptions() async throws -> [CKSubscription] {
        try await perform("read subscriptions") { try $0.subscriptions(of: session.caller) }.map {
            CKSubscription(subscriptionID: $0.name)
        }
    }
}
