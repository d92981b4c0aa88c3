public import TelemetryModels

/// Word that a record was created, changed or removed. A hint: query again to see what is so now.
public struct TelemetryNotification: Sendable, Hashable {
    /// The subscription that asked for it.
    public let subscriptionID: TelemetrySubscription.ID?
    /// The type of the record that changed, where the transport knows it.
    public let recordType: String?
    /// The record that changed, where the transport knows it.
    public let recordID: TelemetryRecord.ID?

    /// Creates a notification; what the transport does not know is nil.
    public init(
        subscriptionID: TelemetrySubscription.ID? = nil, recordType: String? = nil, recordID: TelemetryRecord.ID? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.recordType = recordType
        self.recordID = recordID
    }
}
