extension TelemetrySchema {
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
        /// Who wrote the rule, as text for the person who uses the app.
        case issuer

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool {
            switch self {
            case .scenarioName, .isEnabled: true
            case .ruleId, .logLevel, .conditions, .percentage, .created, .expires, .issuer: false
            }
        }

        /// A description of the field's type, as in the schema's documentation.
        public var fieldTypeDescription: String {
            switch self {
            case .ruleId, .scenarioName, .logLevel, .conditions, .issuer: FieldType.string
            case .percentage: FieldType.double
            case .created, .expires: FieldType.date
            case .isEnabled: FieldType.boolean
            }
        }
    }
}
