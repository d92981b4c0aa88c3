public import TelemetryModels

/// Word that a record was created, changed or removed. A hint: query again to see what is so now.
public struct TelemetryNotification: Sendable, Hashable {
    /// The identifier of the subscription.
    public let subscriptionID: TelemetrySubscription.ID?
    /// The type of the changed record, if the transport has it.
    public let recordType: String?
    /// The changed record, if the transport has it.
    public let recordID: TelemetryRecord.ID?

    /// Creates a notification; values that the transport does not have are nil.
    public init(
        subscriptionID: TelemetrySubscription.ID? = nil, recordType: String? = nil, recordID: TelemetryRecord.ID? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.recordType = recordType
        self.recordID = recordID
    }
}
