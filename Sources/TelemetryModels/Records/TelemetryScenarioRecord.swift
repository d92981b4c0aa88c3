#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One logging scenario of one client, and whether it is on.
public struct TelemetryScenarioRecord: TelemetryRecordConvertible, Equatable {
    /// The error that reading a record throws.
    public typealias Error = TelemetryRecordError
    public static let recordType = TelemetrySchema.scenarioRecordType

    /// The stored record's identifier; nil for a scenario that is not stored yet.
    public let recordID: TelemetryRecord.ID?
    /// The client that registered the scenario.
    public let clientId: String
    /// The scenario's name, as the client registered it.
    public let scenarioName: String
    /// Whether the client records the scenario's events.
    public var isEnabled: Bool
    /// When the scenario was registered.
    public let created: Date
    /// The most detailed level that is recorded.
    public var level: TelemetryLogLevel
    /// When the client turns the scenario off automatically; nil if it does not.
    public var expires: Date?
    /// Who turned the scenario on or off.
    public var source: TelemetryScenarioState.Source
    /// The conditions on the context of the task that logs. The client records only the events of tasks for which all hold.
    public var contextConditions: [TelemetryRuleCondition]

    /// Creates a scenario's record. A transport's `createScenarios(_:)` stores it.
    public init(
        recordID: TelemetryRecord.ID? = nil,
        clientId: String,
        scenarioName: String,
        isEnabled: Bool,
        created: Date = .now,
        level: TelemetryLogLevel = .diagnostic,
        expires: Date? = nil,
        source: TelemetryScenarioState.Source = .registration,
        contextConditions: [TelemetryRuleCondition] = []
    ) {
        self.recordID = recordID
        self.clientId = clientId
        self.scenarioName = scenarioName
        self.isEnabled = isEnabled
        self.created = created
        self.level = level
        self.expires = expires
        self.source = source
        self.contextConditions = contextConditions
    }

    /// Reads a scenario. A missing level, expiry or source is read as `.diagnostic`, nil or `.registration`, and an unknown level
    /// as `.info`; unreadable conditions hold for no context.
    public init(record: TelemetryRecord) throws {
        try record.requireType(Self.recordType)
        typealias Field = TelemetrySchema.ScenarioField
        self.init(
            recordID: record.recordID,
            clientId: try record.requiredString(Field.clientId),
            scenarioName: try record.requiredString(Field.scenarioName),
            isEnabled: try record.requiredBool(Field.isEnabled),
            created: try record.requiredDate(Field.created),
            level: record.string(Field.logLevel).map { TelemetryLogLevel(rawValue: $0) ?? .info } ?? .diagnostic,
            expires: record.date(Field.expires),
            source: record.string(Field.source).flatMap { TelemetryScenarioState.Source($0) } ?? .registration,
            contextConditions: [TelemetryRuleCondition](storedContext: record[Field.contextConditions.rawValue]))
    }

    public func toRecord() -> TelemetryRecord {
        filled(TelemetryRecord(recordType: Self.recordType, optionalID: recordID))
    }

    public func applying(to record: TelemetryRecord) throws -> TelemetryRecord {
        try record.requireType(Self.recordType)
        return filled(record)
    }

    private func filled(_ record: TelemetryRecord) -> TelemetryRecord {
        typealias Field = TelemetrySchema.ScenarioField
        var record = record
        record.set(.string(clientId), for: Field.clientId)
        record.set(.string(scenarioName), for: Field.scenarioName)
        // The schema stores this flag as Int64, 0 or 1.
        record.set(.int(isEnabled ? 1 : 0), for: Field.isEnabled)
        record.set(.date(created), for: Field.created)
        record.set(.string(level.rawValue), for: Field.logLevel, unlessDefault: .string(TelemetryLogLevel.diagnostic.rawValue))
        record.set(expires.map(TelemetryValue.date), for: Field.expires)
        record.set(
            .string(source.description), for: Field.source,
            unlessDefault: .string(TelemetryScenarioState.Source.registration.description))
        record.set(contextConditions.storedContext, for: Field.contextConditions)
        return record
    }
}
