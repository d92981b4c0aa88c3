public import TelemetryModels
public import TelemetryTransport

extension MockTelemetryTransport {
    /// A primitive of the transport, by name.
    public enum Operation: String, Sendable, CaseIterable {
        case append, events, countEvents, deleteEvents
        case saveRecords, record, records, deleteRecords
        case saveSubscription, subscription, deleteSubscription
        case validateSchema, debugInfo
    }

    /// A primitive that was called, with its arguments.
    public enum Call: Sendable {
        case append([TelemetryEvent])
        case events(TelemetryEventFilter, after: TelemetryCursor?, limit: Int)
        case countEvents(TelemetryEventFilter)
        case deleteEvents(TelemetryEventFilter)
        case saveRecords([TelemetryRecord], policy: TelemetrySavePolicy)
        case record(TelemetryRecord.ID)
        case records(TelemetryRecordQuery)
        case deleteRecords([TelemetryRecord.ID])
        case saveSubscription(TelemetrySubscription)
        case subscription(TelemetrySubscription.ID)
        case deleteSubscription(TelemetrySubscription.ID)
        case validateSchema
        case debugInfo

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
