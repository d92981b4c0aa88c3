extension TelemetrySchema {
    /// The fields of an event record.
    public enum Field: String, CaseIterable, Sendable {
        case eventId
        case eventName
        case eventTimestamp
        case sessionId
        case deviceType
        case deviceName
        case deviceModel
        case osVersion
        case appVersion
        case threadId
        case property1
        case scenario
        case logLevel
        /// The client that sent the event; filtering and deletion per client need it.
        case clientId = "clientid"
        /// The event's number within its session; a missing number is a gap.
        case sequence
        /// The event's attributes as JSON text.
        case attributes

        public var isIndexed: Bool {
            switch self {
            case .eventName, .eventTimestamp, .sessionId, .deviceType, .deviceName, .appVersion, .scenario, .logLevel, .clientId:
                true
            case .eventId, .deviceModel, .osVersion, .threadId, .property1, .sequence, .attributes:
                false
            }
        }

        public var fieldTypeDescription: String {
            switch self {
            case .eventTimestamp: FieldType.date
            case .sequence: FieldType.int64
            default: FieldType.string
            }
        }
    }

    /// The fields of a client record.
    public enum ClientField: String, CaseIterable, Sendable {
        case clientId = "clientid"
        case created
        case isEnabled

        public var isIndexed: Bool { true }

        public var fieldTypeDescription: String {
            switch self {
            case .clientId: FieldType.string
            case .created: FieldType.date
            case .isEnabled: FieldType.boolean
            }
        }
    }

    /// The fields of a command record.
    public enum CommandField: String, CaseIterable, Sendable {
        case commandId
        case clientId = "clientid"
        case action
        case created
        case status
        case executedAt
        case errorMessage
        case scenarioName

        public var isIndexed: Bool {
            switch self {
            case .commandId, .clientId, .created, .status: true
            case .action, .executedAt, .errorMessage, .scenarioName: false
            }
        }

        public var fieldTypeDescription: String {
            switch self {
            case .created, .executedAt: FieldType.date
            default: FieldType.string
            }
        }
    }

    /// The fields of a scenario record.
    public enum ScenarioField: String, CaseIterable, Sendable {
        case clientId = "clientid"
        case scenarioName
        case isEnabled
        case created

        public var isIndexed: Bool { self != .created }

        public var fieldTypeDescription: String {
            switch self {
            case .clientId, .scenarioName: FieldType.string
            case .isEnabled: FieldType.flag
            case .created: FieldType.date
            }
        }
    }

    /// The fields of a settings backup.
    public enum SettingsBackupField: String, CaseIterable, Sendable {
        case telemetryRequested
        case telemetrySendingEnabled
        case clientIdentifier
        case lastUpdated

        public var isIndexed: Bool { false }

        public var fieldTypeDescription: String {
            switch self {
            case .telemetryRequested, .telemetrySendingEnabled: FieldType.boolean
            case .clientIdentifier: FieldType.string
            case .lastUpdated: FieldType.date
            }
        }
    }

    /// The words that describe a field's type.
    enum FieldType {
        static let string = "String"
        static let date = "Date/Time"
        static let boolean = "Boolean"
        static let int64 = "Int64"
        static let flag = "Int64 (0/1)"
    }
}
