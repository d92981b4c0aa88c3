public import TelemetryModels

/// Records as JSON objects, with the schema's field names.
extension JSONLine {
    public init(_ scenario: TelemetryScenarioRecord) {
        typealias Field = TelemetrySchema.ScenarioField
        self.init()
        add(Field.clientId.rawValue, scenario.clientId)
        add(Field.scenarioName.rawValue, scenario.scenarioName)
        add(Field.isEnabled.rawValue, scenario.isEnabled)
        add(Field.logLevel.rawValue, scenario.level.rawValue)
        add(Field.created.rawValue, scenario.created)
        add(Field.expires.rawValue, scenario.expires)
        add(Field.source.rawValue, scenario.source.description)
        add(Field.contextConditions.rawValue, scenario.contextConditions)
    }

    public init(_ command: TelemetryCommandRecord) {
        typealias Field = TelemetrySchema.CommandField
        self.init()
        add(Field.commandId.rawValue, command.commandId)
        add(Field.clientId.rawValue, command.clientId)
        add(Field.action.rawValue, command.action.rawValue)
        add(Field.scenarioName.rawValue, command.scenarioName)
        add(Field.status.rawValue, command.status.rawValue)
        add(Field.created.rawValue, command.created)
        add(Field.executedAt.rawValue, command.executedAt)
        add(Field.errorMessage.rawValue, command.errorMessage)
        add(Field.result.rawValue, command.result)
        add(Field.logLevel.rawValue, command.level?.rawValue)
        add(Field.lease.rawValue, command.lease)
        add(Field.expires.rawValue, command.expires)
        add(Field.lookback.rawValue, command.lookback)
        add(Field.issuer.rawValue, command.issuer)
        add(Field.contextConditions.rawValue, command.contextConditions)
        add("advice", CommandText.advice(on: command.status))
    }

    /// - Parameters:
    ///   - applicable: The number of clients to which the rule applies; nil if it is unknown.
    ///   - followers: The number of clients that follow the rule.
    public init(_ rule: TelemetryRuleRecord, applicable: Int?, followers: Int) {
        typealias Field = TelemetrySchema.RuleField
        self.init()
        add(Field.ruleId.rawValue, rule.ruleId)
        add(Field.scenarioName.rawValue, rule.scenarioName)
        add(Field.logLevel.rawValue, rule.level.rawValue)
        add(Field.percentage.rawValue, rule.percentage)
        add(Field.isEnabled.rawValue, rule.isEnabled)
        add(Field.created.rawValue, rule.created)
        add(Field.expires.rawValue, rule.expires)
        add(Field.conditions.rawValue, rule.conditions.map(RuleConditionText.string))
        add(Field.contextConditions.rawValue, rule.contextConditions)
        add(Field.trigger.rawValue, rule.trigger.map { JSONLine($0) })
        add("isReadable", rule.isReadable)
        add(Field.issuer.rawValue, rule.issuer)
        add("applicable", applicable)
        add("clients", followers)
    }

    /// The conditions on the context as they are typed, if there are any.
    private mutating func add(_ name: String, _ conditions: [TelemetryRuleCondition]) {
        if !conditions.isEmpty { add(name, conditions.map(RuleConditionText.string)) }
    }

    /// The stored form.
    private init(_ trigger: TelemetryTrigger) {
        var (name, numbers) = ("", JSONLine())
        switch trigger.action {
        case .capture(let lookback):
            name = "capture"
            numbers.add("lookback", lookback)
        case .enable(let lease):
            name = "enable"
            numbers.add("lease", lease)
        }
        var action = JSONLine()
        action.add(name, numbers)
        self.init()
        add("when", trigger.when.description)
        add("count", trigger.count)
        add("within", trigger.within)
        add("action", action)
        add("limit", trigger.limit)
        add("per", trigger.per)
    }
}
