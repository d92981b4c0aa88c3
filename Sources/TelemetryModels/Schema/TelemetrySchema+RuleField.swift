extension TelemetrySchema {
    /// The fields of a rule record.
    public enum RuleField: String, CaseIterable, Sendable {
        /// The rule's unique identifier.
        case ruleId
        /// The scenario that it turns on.
        case scenarioName
        /// The most detailed level that is recorded: "info" or "diagnostic".
        case logLevel
        /// What it asks of a client: a list of ``TelemetryRuleCondition`` as JSON text.
        case conditions
        /// How many in a hundred of the clients that fulfil the conditions.
        case percentage
        /// When it was written.
        case created
        /// When it ends.
        case expires
        /// Whether it is in force.
        case isEnabled
        /// Who wrote it, in words for the person who is observed.
        case issuer

        /// Whether a store needs an index for the field, because queries or sorting use it.
        public var isIndexed: Bool {
            switch self {
            case .scenarioName, .isEnabled: true
            case .ruleId, .logLevel, .conditions, .percentage, .created, .expires, .issuer: false
            }
        }

        /// The field's type in words, as in the schema's documentation.
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
