public import TelemetryModels

/// A notification that a record was created, changed or removed. It is a hint: query again for the current state.
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
