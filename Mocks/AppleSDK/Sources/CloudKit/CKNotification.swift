/// <https://developer.apple.com/documentation/cloudkit/cknotification>
public class CKNotification: StandInNotification {
    /// <https://developer.apple.com/documentation/cloudkit/cknotification/subscriptionid>
    public let subscriptionID: CKSubscription.ID?

    init(subscriptionID: CKSubscription.ID?) { self.subscriptionID = subscriptionID }
}

/// <https://developer.apple.com/documentation/cloudkit/ckquerynotification>
public final class CKQueryNotification: CKNotification {
    /// <https://developer.apple.com/documentation/cloudkit/ckquerynotification/recordid>
    public let recordID: CKRecord.ID?

    init(subscriptionID: CKSubscription.ID?, recordID: CKRecord.ID?) {
        self.recordID = recordID
        super.init(subscriptionID: subscriptionID)
    }
}

/// Lets an initializer return a subclass, as in Objective-C.
public protocol StandInNotification {}

extension StandInNotification where Self: CKNotification {
    /// <https://developer.apple.com/documentation/cloudkit/cknotification/init(fromremotenotificationdictionary:)>
    public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        guard let payload = notificationDictionary["ck"] as? [String: String],
            let notification = CKQueryNotification(
                subscriptionID: payload["subscription"], recordID: payload["record"].map(CKRecord.ID.init(recordName:)))
                as? Self
        else { return nil }
        self = notification
    }
}
