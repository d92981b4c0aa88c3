import TelemetryModels
import Testing

struct TelemetrySchemaTests {
    private struct Row: Sendable, CustomStringConvertible {
        let name: String
        let type: String
        let isIndexed: Bool
        var description: String { name }
    }

    private static func rows(_ string: [String], indexed: Set<String>, other: [String: String] = [:]) -> [Row] {
        string.map { Row(name: $0, type: other[$0] ?? "String", isIndexed: indexed.contains($0)) }
    }

    @Test("The record types' names")
    func recordTypes() {
        #expect(TelemetrySchema.recordType == "TelemetryEvent")
        #expect(TelemetrySchema.clientRecordType == "TelemetryClient")
        #expect(TelemetrySchema.commandRecordType == "TelemetryCommand")
        #expect(TelemetrySchema.scenarioRecordType == "TelemetryScenario")
        #expect(TelemetrySchema.settingsBackupRecordType == "TelemetrySettingsBackup")
        #expect(TelemetryEvent.recordType == TelemetrySchema.recordType)
        #expect(TelemetryClientRecord.recordType == TelemetrySchema.clientRecordType)
        #expect(TelemetryCommandRecord.recordType == TelemetrySchema.commandRecordType)
        #expect(TelemetryScenarioRecord.recordType == TelemetrySchema.scenarioRecordType)
    }

    @Test("An event's fields: names, types, indexes")
    func eventFields() {
        check(
            TelemetrySchema.Field.allCases, \.fieldTypeDescription, \.isIndexed,
            Self.rows(
                [
                    "eventId", "eventName", "eventTimestamp", "sessionId", "deviceType", "deviceName", "deviceModel", "osVersion",
                    "appVersion", "threadId", "property1", "scenario", "logLevel", "clientid", "sequence", "attributes",
                ],
                indexed: [
                    "eventName", "eventTimestamp", "sessionId", "deviceType", "deviceName", "appVersion", "scenario", "logLevel",
                    "clientid",
                ], other: ["eventTimestamp": "Date/Time", "sequence": "Int64"]))
        #expect(TelemetrySchema.Field.scenario.isIndexed && TelemetrySchema.Field.scenario.fieldTypeDescription == "String")
        #expect(TelemetrySchema.Field.logLevel.isIndexed && TelemetrySchema.Field.logLevel.fieldTypeDescription == "String")
        #expect(TelemetrySchema.Field.clientId.rawValue == "clientid")
    }

    @Test("A client's fields: names, types, indexes")
    func clientFields() {
        check(
            TelemetrySchema.ClientField.allCases, \.fieldTypeDescription, \.isIndexed,
            Self.rows(
                [
                    "clientid", "created", "isEnabled", "isPaused", "lastSeen", "app", "appVersion", "osVersion", "deviceModel",
                    "libraryVersion", "approvedBy", "approved",
                ],
                indexed: Set(TelemetrySchema.ClientField.allCases.map(\.rawValue)),
                other: [
                    "created": "Date/Time", "isEnabled": "Boolean", "isPaused": "Boolean", "lastSeen": "Date/Time",
                    "approved": "Date/Time",
                ]))
    }

    @Test("A command's fields: names, types, indexes")
    func commandFields() {
        check(
            TelemetrySchema.CommandField.allCases, \.fieldTypeDescription, \.isIndexed,
            Self.rows(
                [
                    "commandId", "clientid", "action", "created", "status", "executedAt", "errorMessage", "scenarioName",
                    "logLevel", "lease", "expires", "lookback", "issuer", "result", "contextConditions",
                ], indexed: ["commandId", "clientid", "created", "status"],
                other: [
                    "created": "Date/Time", "executedAt": "Date/Time", "expires": "Date/Time", "lease": "Double",
                    "lookback": "Double",
                ]))
    }

    @Test("A scenario's fields: names, types, indexes")
    func scenarioFields() {
        check(
            TelemetrySchema.ScenarioField.allCases, \.fieldTypeDescription, \.isIndexed,
            Self.rows(
                ["clientid", "scenarioName", "isEnabled", "created", "logLevel", "expires", "source", "contextConditions"],
                indexed: ["clientid", "scenarioName", "isEnabled", "logLevel", "expires", "source"],
                other: ["isEnabled": "Int64 (0/1)", "created": "Date/Time", "expires": "Date/Time"]))
    }

    @Test("A rule's fields: names, types, indexes")
    func ruleFields() {
        #expect(TelemetrySchema.ruleRecordType == "TelemetryRule")
        check(
            TelemetrySchema.RuleField.allCases, \.fieldTypeDescription, \.isIndexed,
            Self.rows(
                [
                    "ruleId", "scenarioName", "logLevel", "conditions", "percentage", "created", "expires", "isEnabled", "issuer",
                    "trigger", "contextConditions",
                ], indexed: ["scenarioName", "isEnabled"],
                other: [
                    "percentage": "Double", "created": "Date/Time", "expires": "Date/Time", "isEnabled": "Boolean",
                ]))
    }

    @Test("A settings backup's fields: names, types, no indexes")
    func backupFields() {
        check(
            TelemetrySchema.SettingsBackupField.allCases, \.fieldTypeDescription, \.isIndexed,
            Self.rows(
                ["telemetryRequested", "telemetrySendingEnabled", "clientIdentifier", "lastUpdated"], indexed: [],
                other: [
                    "telemetryRequested": "Boolean", "telemetrySendingEnabled": "Boolean", "lastUpdated": "Date/Time",
                ]))
    }

    @Test("The stored names of a command's actions")
    func actions() {
        #expect(
            TelemetrySchema.CommandAction.allCases.map(\.rawValue)
                == [
                    "enable", "disable", "delete_events", "enableScenario", "disableScenario", "pause", "resume",
                    "resetScenario", "captureScenario",
                ])
        #expect(TelemetrySchema.CommandAction.enableScenario.rawValue == "enableScenario")
        #expect(TelemetrySchema.CommandAction.disableScenario.rawValue == "disableScenario")
        #expect(TelemetrySchema.CommandAction.deleteEvents.rawValue == "delete_events")
    }

    @Test("The stored names of a command's statuses")
    func statuses() {
        #expect(
            TelemetrySchema.CommandStatus.allCases.map(\.rawValue)
                == ["pending", "executed", "failed", "rejected", "expired", "superseded"])
    }

    private func check<Field: RawRepresentable<String>>(
        _ fields: [Field], _ type: (Field) -> String, _ isIndexed: (Field) -> Bool, _ rows: [Row],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(fields.map(\.rawValue).sorted() == rows.map(\.name).sorted(), sourceLocation: sourceLocation)
        for row in rows {
            guard let field = fields.first(where: { $0.rawValue == row.name }) else { continue }
            #expect(type(field) == row.type, "\(row)", sourceLocation: sourceLocation)
            #expect(isIndexed(field) == row.isIndexed, "\(row)", sourceLocation: sourceLocation)
        }
    }

    // MARK: Validation

    @Test("A record that the package wrote is valid")
    func valid() {
        let records = [
            TelemetryEvent(sessionId: "s", name: "n").toRecord(),
            TelemetryClientRecord(clientId: "c", isEnabled: true).toRecord(),
            TelemetryScenarioRecord(clientId: "c", scenarioName: "s", isEnabled: true).toRecord(),
            TelemetryCommandRecord(clientId: "c", action: .enable).toRecord(),
            TelemetryRuleRecord(scenarioName: "s").toRecord(),
        ]
        #expect(TelemetrySchema.validate(records).isEmpty)
    }

    @Test("Fields of version 2 are optional, and checked for their types if present")
    func optionalFields() {
        var command = TelemetryCommandRecord(clientId: "c", action: .enableScenario, lease: 60).toRecord()
        for (value, count) in [(TelemetryValue.int(60), 0), (.double(0.5), 0), ("60", 1), (true, 1), (nil, 0)]
            as [(TelemetryValue?, Int)]
        {
            command["lease"] = value
            #expect(TelemetrySchema.validate(command).count == count)
        }
        #expect(TelemetrySchema.validate(TelemetryRecord(recordType: "TelemetryRule")).isEmpty)
        var client = TelemetryRecord(recordType: "TelemetryClient")
        client["clientid"] = "c"
        client["created"] = .date(TelemetryClientRecord(clientId: "c", isEnabled: true).created)
        client["isEnabled"] = true
        #expect(TelemetrySchema.validate(client).isEmpty)
        client["lastSeen"] = "yesterday"
        #expect(TelemetrySchema.validate(client).count == 1)
    }

    @Test("Validation names the record and its missing fields, or the field with a wrong type")
    func invalid() {
        var command = TelemetryRecord(recordType: "TelemetryCommand", recordID: "r1")
        command["clientid"] = "c"
        command["status"] = 3
        command["unknown"] = "allowed"
        let stranger = TelemetryRecord(recordType: "Stranger", recordID: "r2")
        let faults = TelemetrySchema.validate([command, stranger])
        #expect(
            faults == [
                .missingFields(record: "r1", recordType: "TelemetryCommand", fields: ["action", "commandId", "created"]),
                .wrongFieldType(record: "r1", recordType: "TelemetryCommand", field: "status", expected: "String"),
                .unknownRecordType(record: "r2", recordType: "Stranger"),
            ])
        for part in ["r1", "TelemetryCommand", "action, commandId, created"] { #expect("\(faults[0])".contains(part)) }
        for part in ["r1", "status", "String"] { #expect("\(faults[1])".contains(part)) }
        for part in ["r2", "Stranger"] { #expect("\(faults[2])".contains(part)) }
    }

    @Test("A flag may be stored as 0 or 1, and as no other number")
    func flags() {
        var client = TelemetryClientRecord(clientId: "c", isEnabled: true).toRecord()
        for value: TelemetryValue in [0, 1, true, false] {
            client["isEnabled"] = value
            #expect(TelemetrySchema.validate(client).isEmpty)
        }
        for value: TelemetryValue in [2, 1.0, "true"] {
            client["isEnabled"] = value
            #expect(TelemetrySchema.validate(client).count == 1)
        }
    }

    @Test("A settings backup is valid only with both flags")
    func backup() {
        var backup = TelemetryRecord(recordType: "TelemetrySettingsBackup")
        #expect(TelemetrySchema.validate(backup).count == 1)
        backup["telemetryRequested"] = true
        backup["telemetrySendingEnabled"] = 0
        #expect(TelemetrySchema.validate(backup).isEmpty)
    }
}
