public import TelemetryModels

/// Word that a record was created, changed or removed. A hint: query again to see what is so now.
public struct TelemetryNotification: Sendable, Hashable {
    /// The subscription that asked for it.
    public let subscriptionID: TelemetrySubscription.ID?
    public let recordType: String?
    public let recordID: TelemetryRecord.ID?

    public init(
        subscriptionID: TelemetrySubscription.ID? = nil, recordType: String? = nil, recordID: TelemetryRecord.ID? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.recordType = recordType
        self.recordID = recordID
    }
}
