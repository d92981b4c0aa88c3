#if canImport(CloudKit)
import CloudKit
import TelemetryModels
public import TelemetryTransport

extension TelemetryNotification {
    /// Reads the payload of a push that an app delegate received.
    ///
    /// Returns nil if the push is not from a CloudKit query subscription. Queries ignore case, so a push may concern a client
    /// whose identifier differs only in case.
    public init?(userInfo: [AnyHashable: Any]) {
        guard let push = CKNotification(fromRemoteNotificationDictionary: userInfo) as? CKQueryNotification else { return nil }
        let name = push.subscriptionID
        let subscription = name.flatMap { CloudKitSubscriptionName.subscription(named: $0) }
        self.init(
            subscriptionID: subscription?.id,
            recordType: name.flatMap(CloudKitSubscriptionName.recordType(ofName:)),
            recordID: push.recordID.flatMap { CloudKitName.recordName(from: $0.recordName) }
                .map(TelemetryRecord.ID.init(recordName:)))
    }
}
#endif
