#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A rule that turns a scenario on for every client it applies to, or, with a ``trigger``, makes these clients act on the scenario by
/// themselves. Each client evaluates it on its own.
public struct TelemetryRuleRecord: TelemetryRecordConvertible, Equatable {
    /// The error that reading a record throws.
    public typealias Error = TelemetryRecordError
    public static let recordType = TelemetrySchema.ruleRecordType

    /// The stored record's identifier; nil for a rule that is not stored yet.
    public let recordID: TelemetryRecord.ID?
    /// The rule's unique identifier.
    public let ruleId: String
    /// The scenario that is turned on.
    public var scenarioName: String
    /// The most detailed level that is recorded.
    public var level: TelemetryLogLevel
    /// The conditions that a client has to meet, all of them. Without conditions every client meets them.
    public var conditions: [TelemetryRuleCondition] {
        didSet { unreadable[TelemetrySchema.RuleField.conditions] = nil }
    }
    /// The percentage of the clients meeting the conditions to which the rule applies: 100 or more is all of them; 0, less and
    /// NaN are none.
    public var percentage: Double
    /// When the rule was written.
    public let created: Date
    /// When the rule expires; nil if it does not.
    public var expires: Date?
    /// Whether the rule is enabled. A disabled rule applies to no client.
    public var isEnabled: Bool
    /// Who wrote the rule, as text for the user.
    public var issuer: String?
    /// When the clients act on the scenario; nil if the rule turns the scenario on.
    public var trigger: TelemetryTrigger? {
        didSet { unreadable[TelemetrySchema.RuleField.trigger] = nil }
    }
    /// The conditions on the context of the task that logs an event, all of them.
    ///
    /// The rule turns the scenario on, itself or by a trigger, only where they hold. What the flight recorder kept has no context: a
    /// rule whose trigger captures acts on no client if it has any.
    public var contextConditions: [TelemetryRuleCondition] {
        didSet { unreadable[TelemetrySchema.RuleField.contextConditions] = nil }
    }

    /// The values of fields that this version cannot read. A rule with any applies to no client; writing the rule keeps them.
    private var unreadable: [TelemetrySchema.RuleField: TelemetryValue] = [:]

    /// Creates a rule; the parameters are the properties of the same names.
    public init(
        recordID: TelemetryRecord.ID? = nil,
        ruleId: String = UUID().uuidString,
        scenarioName: String,
        level: TelemetryLogLevel = .diagnostic,
        conditions: [TelemetryRuleCondition] = [],
        percentage: Double = 100,
        created: Date = .now,
        expires: Date? = nil,
        isEnabled: Bool = true,
        issuer: String? = nil,
        trigger: TelemetryTrigger? = nil,
        contextConditions: [TelemetryRuleCondition] = []
    ) {
        self.recordID = recordID
        self.ruleId = ruleId
        self.scenarioName = scenarioName
        self.level = level
        self.conditions = conditions
        self.percentage = percentage
        self.created = created
        self.expires = expires
        self.isEnabled = isEnabled
        self.issuer = issuer
        self.trigger = trigger
        self.contextConditions = contextConditions
    }

    /// Whether this version can read all of the rule. An unreadable rule applies to no client.
    public var isReadable: Bool { unreadable.isEmpty }

    /// Reads a rule. The identifier, the scenario, the creation date and `isEnabled` are required; the other fields have the
    /// defaults of the memberwise initializer. A rule whose conditions, level, percentage, expiry or trigger cannot be read applies
    /// to no client.
    public init(record: TelemetryRecord) throws {
        try record.requireType(Self.recordType)
        typealias Field = TelemetrySchema.RuleField
        var unreadable: [Field: TelemetryValue] = [:]
        func read<Value>(_ field: Field, _ value: (TelemetryValue) -> Value?) -> Value? {
            guard let stored = record[field.rawValue] else { return nil }
            let result = value(stored)
            if result == nil { unreadable[field] = stored }
            return result
        }
        let level = read(.logLevel) { $0.stringValue.flatMap(TelemetryLogLevel.init(rawValue:)) }
        let conditions = read(.conditions) { $0.stringValue.flatMap { StoredJSON.value([TelemetryRuleCondition].self, of: $0) } }
        let trigger = read(.trigger) { $0.stringValue.flatMap { StoredJSON.value(TelemetryTrigger.self, of: $0) } }
        let context = read(.contextConditions) {
            $0.stringValue.flatMap { StoredJSON.value([TelemetryRuleCondition].self, of: $0) }
        }
        let percentage = read(.percentage, \.numberValue)
        let expires = read(.expires, \.dateValue)
        self.init(
            recordID: record.recordID,
            ruleId: try record.requiredString(Field.ruleId),
            scenarioName: try record.requiredString(Field.scenarioName),
            level: level ?? .diagnostic,
            conditions: conditions ?? [],
            percentage: percentage ?? 100,
            created: try record.requiredDate(Field.created),
            expires: expires,
            isEnabled: try record.requiredBool(Field.isEnabled),
            issuer: record.string(Field.issuer), trigger: trigger, contextConditions: context ?? [])
        self.unreadable = unreadable
    }

    public func toRecord() -> TelemetryRecord {
        filled(TelemetryRecord(recordType: Self.recordType, optionalID: recordID))
    }

    public func applying(to record: TelemetryRecord) throws -> TelemetryRecord {
        try record.requireType(Self.recordType)
        return filled(record)
    }

    private func filled(_ record: TelemetryRecord) -> TelemetryRecord {
        typealias Field = TelemetrySchema.RuleField
        var record = record
        record.set(.string(ruleId), for: Field.ruleId)
        record.set(.string(scenarioName), for: Field.scenarioName)
        record.set(.string(level.rawValue), for: Field.logLevel)
        record.set(.string(StoredJSON.text(of: conditions)), for: Field.conditions)
        record.set(.double(percentage), for: Field.percentage)
        record.set(.date(created), for: Field.created)
        record.set(expires.map(TelemetryValue.date), for: Field.expires)
        record.set(.bool(isEnabled), for: Field.isEnabled)
        record.set(issuer.map(TelemetryValue.string), for: Field.issuer)
        record.set(trigger.map { .string(StoredJSON.text(of: $0)) }, for: Field.trigger)
        record.set(contextConditions.storedContext, for: Field.contextConditions)
        for (field, value) in unreadable { record.set(value, for: field) }
        return record
    }
}
