public import TelemetryModels
public import TelemetryTransport

extension MockTelemetryTransport {
    /// A primitive of the transport, by name.
    public enum Operation: String, Sendable, CaseIterable {
        /// `append(_:)`.
        case append
        /// `events(matching:after:limit:)`.
        case events
        /// `countEvents(matching:)`.
        case countEvents
        /// `deleteEvents(matching:)`.
        case deleteEvents
        /// `save(_:policy:)`.
        case saveRecords
        /// `record(withID:)`.
        case record
        /// `records(matching:)`.
        case records
        /// `deleteRecords(withIDs:)`.
        case deleteRecords
        /// `save(_:)` of a subscription.
        case saveSubscription
        /// `subscription(withID:)`.
        case subscription
        /// `deleteSubscription(withID:)`.
        case deleteSubscription
        /// `validateSchema()`.
        case validateSchema
        /// `debugInfo()`.
        case debugInfo
    }

    /// A primitive that was called, with its arguments.
    public enum Call: Sendable {
        /// A call of `append(_:)`.
        case append([TelemetryEvent])
        /// A call of `events(matching:after:limit:)`.
        case events(TelemetryEventFilter, after: TelemetryCursor?, limit: Int)
        /// A call of `countEvents(matching:)`.
        case countEvents(TelemetryEventFilter)
        /// A call of `deleteEvents(matching:)`.
        case deleteEvents(TelemetryEventFilter)
        /// A call of `save(_:policy:)`.
        case saveRecords([TelemetryRecord], policy: TelemetrySavePolicy)
        /// A call of `record(withID:)`.
        case record(TelemetryRecord.ID)
        /// A call of `records(matching:)`.
        case records(TelemetryRecordQuery)
        /// A call of `deleteRecords(withIDs:)`.
        case deleteRecords([TelemetryRecord.ID])
        /// A call of `save(_:)` with a subscription.
        case saveSubscription(TelemetrySubscription)
        /// A call of `subscription(withID:)`.
        case subscription(TelemetrySubscription.ID)
        /// A call of `deleteSubscription(withID:)`.
        case deleteSubscription(TelemetrySubscription.ID)
        /// A call of `validateSchema()`.
        case validateSchema
        /// A call of `debugInfo()`.
        case debugInfo

        /// The operation that was called, without its arguments.
        public var operation: Operation {
            switch self {
            case .append: .append
            case .events: .events
            case .countEvents: .countEvents
            case .deleteEvents: .deleteEvents
            case .saveRecords: .saveRecords
            case .record: .record
            case .records: .records
            case .deleteRecords: .deleteRecords
            case .saveSubscription: .saveSubscription
            case .subscription: .subscription
            case .deleteSubscription: .deleteSubscription
            case .validateSchema: .validateSchema
            case .debugInfo: .debugInfo
            }
        }
    }
}
