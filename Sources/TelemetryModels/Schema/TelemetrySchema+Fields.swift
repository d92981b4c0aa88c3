extension TelemetrySchema {
    /// The fields of an event record.
    public enum Field: String, CaseIterable, Sendable {
        /// The event's unique identifier.
        case eventId
        /// The event's name.
        case eventName
        /// When it happened.
        case eventTimestamp
        /// The run of the client in which it happened.
        case sessionId
        /// The kind of device.
        case deviceType
        /// The device's name.
        case deviceName
        /// The device's model.
        case deviceModel
        /// The operating system's version.
        case osVersion
        /// The app's version.
        case appVersion
        /// The thread that logged it.
        case threadId
        /// A text of the host's.
        case property1
        /// The scenario under which it was logged.
        case scenario
        /// Its level: "info" or "diagnostic".
        case logLevel
        /// The client that sent the event; filtering and deletion per client need it.
        case clientId = "clientid"
        /// The event's number within its session; a missing number is a gap.
        case sequence
        /// The event's attributes as JSON text.
        case attributes

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool {
            switch self {
            case .eventName, .eventTimestamp, .sessionId, .deviceType, .deviceName, .appVersion, .scenario, .logLevel, .clientId:
                true
            case .eventId, .deviceModel, .osVersion, .threadId, .property1, .sequence, .attributes:
                false
            }
        }

        /// The field's type in words, as in the schema's documentation.
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
        /// The client's identifier.
        case clientId = "clientid"
        /// When telemetry was requested.
        case created
        /// Whether a viewer has approved the client.
        case isEnabled

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool { true }

        /// The field's type in words, as in the schema's documentation.
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
        /// The command's unique identifier.
        case commandId
        /// The client that is to execute it.
        case clientId = "clientid"
        /// What to do: a ``TelemetrySchema/CommandAction``.
        case action
        /// When it was issued.
        case created
        /// How far it has come: a ``TelemetrySchema/CommandStatus``.
        case status
        /// When it ended.
        case executedAt
        /// Why it failed.
        case errorMessage
        /// The scenario that it concerns.
        case scenarioName

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool {
            switch self {
            case .commandId, .clientId, .created, .status: true
            case .action, .executedAt, .errorMessage, .scenarioName: false
            }
        }

        /// The field's type in words, as in the schema's documentation.
        public var fieldTypeDescription: String {
            switch self {
            case .created, .executedAt: FieldType.date
            default: FieldType.string
            }
        }
    }

    /// The fields of a scenario record.
    public enum ScenarioField: String, CaseIterable, Sendable {
        /// The client that registered the scenario.
        case clientId = "clientid"
        /// The scenario's name.
        case scenarioName
        /// Whether it is on, as 0 or 1.
        case isEnabled
        /// When it was registered.
        case created

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool { self != .created }

        /// The field's type in words, as in the schema's documentation.
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
        /// Whether the person asked for telemetry.
        case telemetryRequested
        /// Whether events are recorded and sent.
        case telemetrySendingEnabled
        /// The client's identifier.
        case clientIdentifier
        /// When the backup was written.
        case lastUpdated

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool { false }

        /// The field's type in words, as in the schema's documentation.
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
