extension TelemetrySchema {
    /// The fields of an event record.
    public enum Field: String, CaseIterable, Sendable {
        /// The event's unique identifier.
        case eventId
        /// The event's name.
        case eventName
        /// When the event happened.
        case eventTimestamp
        /// The session of the client in which the event was logged.
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
        /// Free text set by the host.
        case property1
        /// The scenario under which the event was logged.
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

        /// A description of the field's type, as in the schema's documentation.
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
        /// Whether recording and sending are paused.
        case isPaused
        /// When the client last reported.
        case lastSeen
        /// The identifier of the app: its bundle's, otherwise the executable's name.
        case app
        /// The version of the app.
        case appVersion
        /// The operating system's version.
        case osVersion
        /// The device's model.
        case deviceModel
        /// The version of this library.
        case libraryVersion
        /// Who approved the client by its record, as the relay writes it.
        case approvedBy
        /// When the client was approved by its record, as the relay writes it.
        case approved

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool { true }

        /// A description of the field's type, as in the schema's documentation.
        public var fieldTypeDescription: String {
            switch self {
            case .clientId, .app, .appVersion, .osVersion, .deviceModel, .libraryVersion, .approvedBy: FieldType.string
            case .created, .lastSeen, .approved: FieldType.date
            case .isEnabled, .isPaused: FieldType.boolean
            }
        }
    }

    /// The fields of a command record.
    public enum CommandField: String, CaseIterable, Sendable {
        /// The command's unique identifier.
        case commandId
        /// The client that executes the command.
        case clientId = "clientid"
        /// The action: a ``TelemetrySchema/CommandAction``.
        case action
        /// When the command was issued.
        case created
        /// The status: a ``TelemetrySchema/CommandStatus``.
        case status
        /// When the command ended.
        case executedAt
        /// Why the command failed.
        case errorMessage
        /// The scenario that it concerns.
        case scenarioName
        /// The level at which to turn a scenario on: "info" or "diagnostic".
        case logLevel
        /// How long to turn a scenario on, in seconds.
        case lease
        /// When the command expires.
        case expires
        /// The maximum age of the flight recorder's events to send, in seconds.
        case lookback
        /// Who issued the command, as text for the user.
        case issuer
        /// Details of the outcome beyond the status, as text for the viewer.
        case result
        /// The conditions on the context of the task that logs: an array of ``TelemetryRuleCondition`` as JSON text.
        case contextConditions

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool {
            switch self {
            case .commandId, .clientId, .created, .status: true
            case .action, .executedAt, .errorMessage, .scenarioName, .logLevel, .lease, .expires, .lookback, .issuer, .result,
                .contextConditions:
                false
            }
        }

        /// A description of the field's type, as in the schema's documentation.
        public var fieldTypeDescription: String {
            switch self {
            case .created, .executedAt, .expires: FieldType.date
            case .lease, .lookback: FieldType.double
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
        /// Whether the scenario is on, as 0 or 1.
        case isEnabled
        /// When the scenario was registered.
        case created
        /// The most detailed level that is recorded: "info" or "diagnostic".
        case logLevel
        /// When the client turns the scenario off automatically.
        case expires
        /// Who turned the scenario on or off: "registration", "host", "viewer", or "rule:" and the rule's identifier.
        case source
        /// The conditions on the context of the task that logs: an array of ``TelemetryRuleCondition`` as JSON text.
        case contextConditions

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool { self != .created && self != .contextConditions }

        /// A description of the field's type, as in the schema's documentation.
        public var fieldTypeDescription: String {
            switch self {
            case .clientId, .scenarioName, .logLevel, .source, .contextConditions: FieldType.string
            case .isEnabled: FieldType.flag
            case .created, .expires: FieldType.date
            }
        }
    }

    /// The fields of a settings backup.
    public enum SettingsBackupField: String, CaseIterable, Sendable {
        /// Whether the user requested telemetry.
        case telemetryRequested
        /// Whether events are recorded and sent.
        case telemetrySendingEnabled
        /// The client's identifier.
        case clientIdentifier
        /// When the backup was written.
        case lastUpdated

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool { false }

        /// A description of the field's type, as in the schema's documentation.
        public var fieldTypeDescription: String {
            switch self {
            case .telemetryRequested, .telemetrySendingEnabled: FieldType.boolean
            case .clientIdentifier: FieldType.string
            case .lastUpdated: FieldType.date
            }
        }
    }

    /// The descriptions of the fields' types.
    enum FieldType {
        static let string = "String"
        static let date = "Date/Time"
        static let boolean = "Boolean"
        static let int64 = "Int64"
        static let double = "Double"
        static let flag = "Int64 (0/1)"
    }

    /// The fields of a rule record.
    public enum RuleField: String, CaseIterable, Sendable {
        /// The rule's unique identifier.
        case ruleId
        /// The scenario that the rule turns on.
        case scenarioName
        /// The most detailed level that is recorded: "info" or "diagnostic".
        case logLevel
        /// The conditions that a client has to meet: an array of ``TelemetryRuleCondition`` as JSON text.
        case conditions
        /// The percentage of the clients meeting the conditions to which the rule applies.
        case percentage
        /// When the rule was written.
        case created
        /// When the rule expires.
        case expires
        /// Whether the rule is enabled.
        case isEnabled
        /// Who wrote the rule, as text for the user.
        case issuer
        /// When a client acts by itself: a ``TelemetryTrigger`` as JSON text.
        case trigger
        /// The conditions on the context of the task that logs: an array of ``TelemetryRuleCondition`` as JSON text.
        case contextConditions

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool {
            switch self {
            case .scenarioName, .isEnabled: true
            case .ruleId, .logLevel, .conditions, .percentage, .created, .expires, .issuer, .trigger,
                .contextConditions:
                false
            }
        }

        /// A description of the field's type, as in the schema's documentation.
        public var fieldTypeDescription: String {
            switch self {
            case .ruleId, .scenarioName, .logLevel, .conditions, .issuer, .trigger, .contextConditions: FieldType.string
            case .percentage: FieldType.double
            case .created, .expires: FieldType.date
            case .isEnabled: FieldType.boolean
            }
        }
    }
}
