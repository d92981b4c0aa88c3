import Foundation
import TelemetryModels
import Testing

/// Records that clients and viewers of version 1 and of version 2 read and write in one store.
struct VersionOneTests {
    private static let date = Date(timeIntervalSince1970: 1_795_248_000)

    private static let client = TelemetryClientRecord(
        recordID: "r", clientId: "c", created: date, isEnabled: true, isPaused: true, lastSeen: date, appVersion: "2.10",
        osVersion: "12", deviceModel: "vm", libraryVersion: "0.2.0")
    private static let scenario = TelemetryScenarioRecord(
        recordID: "r", clientId: "c", scenarioName: "Net", isEnabled: true, created: date, level: .info, expires: date + 60,
        source: .rule("half"))
    private static func command(
        _ action: TelemetrySchema.CommandAction = .enableScenario, _ status: TelemetrySchema.CommandStatus = .pending
    ) -> TelemetryCommandRecord {
        TelemetryCommandRecord(
            recordID: "r", commandId: "1", clientId: "c", action: action, scenarioName: "Net", created: date, status: status,
            level: .info, lease: 60, expires: date + 60, lookback: 5, issuer: "viewer", result: "level cut to info")
    }

    @Test("Version 1 reads its fields from records that have every field of version 2")
    func everyField() throws {
        #expect(
            try VersionOne.fields(of: Self.client.toRecord()) == [
                "clientid": "c", "created": .date(Self.date), "isEnabled": true,
            ])
        #expect(
            try VersionOne.fields(of: Self.scenario.toRecord()) == [
                "clientid": "c", "scenarioName": "Net", "created": .date(Self.date), "isEnabled": true,
            ])
        #expect(
            try VersionOne.fields(of: Self.command().toRecord()) == [
                "commandId": "1", "clientid": "c", "action": "enableScenario", "status": "pending", "scenarioName": "Net",
                "created": .date(Self.date),
            ])
        for record in [Self.client.toRecord(), Self.scenario.toRecord(), Self.command().toRecord()] {
            let names = try #require(Self.fieldNames[record.recordType])
            // Otherwise the records do not have every field.
            #expect(names.subtracting(record.allKeys()).isSubset(of: ["executedAt", "errorMessage"]), "\(record.recordType)")
        }
    }

    private static let fieldNames = [
        TelemetrySchema.clientRecordType: Set(TelemetrySchema.ClientField.allCases.map(\.rawValue)),
        TelemetrySchema.scenarioRecordType: Set(TelemetrySchema.ScenarioField.allCases.map(\.rawValue)),
        TelemetrySchema.commandRecordType: Set(TelemetrySchema.CommandField.allCases.map(\.rawValue)),
    ]

    @Test(
        "Version 1 refuses the actions of version 2 by name, and so fails the command with a message",
        arguments: [.pause, .resume, .resetScenario, .captureScenario] as [TelemetrySchema.CommandAction])
    func actions(_ action: TelemetrySchema.CommandAction) {
        #expect(throws: VersionOne.UnknownValue(action.rawValue)) {
            try VersionOne.fields(of: Self.command(action).toRecord())
        }
    }

    @Test(
        "A client of version 1 does not read an ended command of version 2 as pending",
        arguments: [.rejected, .expired, .superseded] as [TelemetrySchema.CommandStatus])
    func statuses(_ status: TelemetrySchema.CommandStatus) {
        #expect(throws: VersionOne.UnknownValue(status.rawValue)) {
            try VersionOne.fields(of: Self.command(.enableScenario, status).toRecord())
        }
    }

    @Test("What version 1 writes over a record keeps the fields of version 2")
    func overwriting() throws {
        var client = Self.client
        client.isEnabled = false
        let written = VersionOne.applying(["isEnabled": false], to: Self.client.toRecord())
        #expect(try TelemetryClientRecord(record: written) == client)

        var scenario = Self.scenario
        scenario.isEnabled = false
        let turnedOff = VersionOne.applying(["isEnabled": 0], to: Self.scenario.toRecord())
        #expect(try TelemetryScenarioRecord(record: turnedOff) == scenario)

        var command = Self.command()
        command.status = .executed
        command.executedAt = Self.date
        var fields = try VersionOne.fields(of: Self.command().toRecord())
        fields["status"] = "executed"
        fields["executedAt"] = .date(Self.date)
        #expect(try TelemetryCommandRecord(record: VersionOne.applying(fields, to: Self.command().toRecord())) == command)
    }

    @Test("A record that version 1 created has the defaults of version 2, and nothing is added to it unless it changes")
    func created() throws {
        let records = [
            "TelemetryClient": ["clientid": "c", "created": .date(Self.date), "isEnabled": true],
            "TelemetryScenario": ["clientid": "c", "scenarioName": "Net", "created": .date(Self.date), "isEnabled": 1],
            "TelemetryCommand": [
                "commandId": "1", "clientid": "c", "action": "enableScenario", "status": "pending", "scenarioName": "Net",
                "created": .date(Self.date),
            ],
        ].map { (type: String, fields: [String: TelemetryValue]) in
            VersionOne.applying(fields, to: TelemetryRecord(recordType: type, recordID: "r"))
        }
        for record in records {
            switch record.recordType {
            case "TelemetryClient":
                let client = try TelemetryClientRecord(record: record)
                #expect(client == TelemetryClientRecord(recordID: "r", clientId: "c", created: Self.date, isEnabled: true))
                #expect(try client.applying(to: record) == record)
            case "TelemetryScenario":
                let scenario = try TelemetryScenarioRecord(record: record)
                #expect(
                    scenario
                        == TelemetryScenarioRecord(
                            recordID: "r", clientId: "c", scenarioName: "Net", isEnabled: true, created: Self.date))
                #expect(try scenario.applying(to: record) == record)
            default:
                let command = try TelemetryCommandRecord(record: record)
                #expect(
                    command
                        == TelemetryCommandRecord(
                            recordID: "r", commandId: "1", clientId: "c", action: .enableScenario, scenarioName: "Net",
                            created: Self.date))
                #expect(try command.applying(to: record) == record)
            }
        }
    }
}
