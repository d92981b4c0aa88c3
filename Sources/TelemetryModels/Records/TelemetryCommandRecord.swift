#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A viewer's command to a client, and its outcome.
public struct TelemetryCommandRecord: TelemetryRecordConvertible, Equatable {
    /// The error that reading a record throws.
    public typealias Error = TelemetryRecordError
    public static let recordType = TelemetrySchema.commandRecordType

    /// The stored record's identifier; nil for a command that is not stored yet.
    public let recordID: TelemetryRecord.ID?
    /// The command's unique identifier.
    public let commandId: String
    /// The client that executes the command.
    public let clientId: String
    /// What the client has to do.
    public let action: TelemetrySchema.CommandAction
    /// The scenario concerned; nil for actions on the whole client.
    public let scenarioName: String?
    /// When the command was issued; commands are executed oldest first.
    public let created: Date
    /// The command's status.
    public var status: TelemetrySchema.CommandStatus
    /// When the client executed the command; nil while it is pending.
    public var executedAt: Date?
    /// Why the command failed, as text for the viewer.
    public var errorMessage: String?
    /// The level at which a scenario is turned on; nil for the most detailed one that the client allows.
    public let level: TelemetryLogLevel?
    /// How long a scenario is turned on, in seconds; nil for the client's default.
    public let lease: TimeInterval?
    /// When the command expires; nil if it does not.
    public let expires: Date?
    /// The maximum age of the flight recorder's events that are sent, in seconds; nil for all events.
    public let lookback: TimeInterval?
    /// Who issued the command, as text for the user.
    public let issuer: String?
    /// The conditions on the context of the task that logs, under which a scenario is turned on; all of them.
    public let contextConditions: [TelemetryRuleCondition]
    /// Details of the outcome beyond the status, as text for the viewer.
    public var result: String?

    /// Creates a command. A transport's `createCommand(_:)` sends it.
    public init(
        recordID: TelemetryRecord.ID? = nil,
        commandId: String = UUID().uuidString,
        clientId: String,
        action: TelemetrySchema.CommandAction,
        scenarioName: String? = nil,
        created: Date = .now,
        status: TelemetrySchema.CommandStatus = .pending,
        executedAt: Date? = nil,
        errorMessage: String? = nil,
        level: TelemetryLogLevel? = nil,
        lease: TimeInterval? = nil,
        expires: Date? = nil,
        lookback: TimeInterval? = nil,
        issuer: String? = nil,
        result: String? = nil,
        contextConditions: [TelemetryRuleCondition] = []
    ) {
        self.recordID = recordID
        self.commandId = commandId
        self.clientId = clientId
        self.action = action
        self.scenarioName = scenarioName
        self.created = created
        self.status = status
        self.executedAt = executedAt
        self.errorMessage = errorMessage
        self.level = level
        self.lease = lease
        self.expires = expires
        self.lookback = lookback
        self.issuer = issuer
        self.result = result
        self.contextConditions = contextConditions
    }

    /// Reads a command. An optional field is nil if it is missing, of the wrong type, or has an unknown value;
    /// unreadable conditions hold for no context.
    public init(record: TelemetryRecord) throws {
        try record.requireType(Self.recordType)
        typealias Field = TelemetrySchema.CommandField
        let action = try record.requiredString(Field.action)
        let status = try record.requiredString(Field.status)
        guard let knownAction = TelemetrySchema.CommandAction(rawValue: action) else { throw Error.invalidAction(action) }
        guard let knownStatus = TelemetrySchema.CommandStatus(rawValue: status) else { throw Error.invalidStatus(status) }
        self.init(
            recordID: record.recordID,
            commandId: try record.requiredString(Field.commandId),
            clientId: try record.requiredString(Field.clientId),
            action: knownAction,
            scenarioName: record.string(Field.scenarioName),
            created: try record.requiredDate(Field.created),
            status: knownStatus,
            executedAt: record.date(Field.executedAt),
            errorMessage: record.string(Field.errorMessage),
            level: record.string(Field.logLevel).flatMap(TelemetryLogLevel.init(rawValue:)),
            lease: record.number(Field.lease),
            expires: record.date(Field.expires),
            lookback: record.number(Field.lookback),
            issuer: record.string(Field.issuer),
            result: record.string(Field.result),
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
        typealias Field = TelemetrySchema.CommandField
        var record = record
        record.set(.string(commandId), for: Field.commandId)
        record.set(.string(clientId), for: Field.clientId)
        record.set(.string(action.rawValue), for: Field.action)
        record.set(scenarioName.map(TelemetryValue.string), for: Field.scenarioName)
        record.set(.date(created), for: Field.created)
        record.set(.string(status.rawValue), for: Field.status)
        record.set(executedAt.map(TelemetryValue.date), for: Field.executedAt)
        record.set(errorMessage.map(TelemetryValue.string), for: Field.errorMessage)
        record.set(level.map { .string($0.rawValue) }, for: Field.logLevel)
        record.set(lease.map(TelemetryValue.double), for: Field.lease)
        record.set(expires.map(TelemetryValue.date), for: Field.expires)
        record.set(lookback.map(TelemetryValue.double), for: Field.lookback)
        record.set(issuer.map(TelemetryValue.string), for: Field.issuer)
        record.set(result.map(TelemetryValue.string), for: Field.result)
        record.set(contextConditions.storedContext, for: Field.contextConditions)
        return record
    }
}
