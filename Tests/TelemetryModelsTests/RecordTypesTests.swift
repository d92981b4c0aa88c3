import Foundation
import TelemetryModels
import Testing

struct RecordTypesTests {
    private static let date = Date(timeIntervalSince1970: 1_795_248_000)

    private static let client = TelemetryClientRecord(
        recordID: "r", clientId: "c", created: date, isEnabled: true
    ).toRecord()
    private static let scenario = TelemetryScenarioRecord(
        recordID: "r", clientId: "c", scenarioName: "Net", isEnabled: true, created: date
    ).toRecord()
    private static let command = TelemetryCommandRecord(
        recordID: "r", commandId: "1", clientId: "c", action: .enableScenario, scenarioName: "Net", created: date,
        status: .failed, executedAt: date, errorMessage: "why"
    ).toRecord()
    private static let event = TelemetryEvent(eventId: "e", sessionId: "s", name: "n", timestamp: date).toRecord()

    private typealias Reader = @Sendable (TelemetryRecord) throws -> any TelemetryRecordConvertible
    private static let readers: [String: Reader] = [
        "TelemetryClient": { try TelemetryClientRecord(record: $0) },
        "TelemetryScenario": { try TelemetryScenarioRecord(record: $0) },
        "TelemetryCommand": { try TelemetryCommandRecord(record: $0) },
        "TelemetryEvent": { try TelemetryEvent(record: $0) },
    ]

    @Test("A record that lacks a required field, or holds another type there, is refused with the field's name")
    func missingFields() throws {
        let required: [(TelemetryRecord, [String])] = [
            (Self.client, ["clientid", "created", "isEnabled"]),
            (Self.scenario, ["clientid", "scenarioName", "created", "isEnabled"]),
            (Self.command, ["commandId", "clientid", "action", "created", "status"]),
            (Self.event, ["eventName", "sessionId", "eventTimestamp"]),
        ]
        for (record, fields) in required {
            let read = try #require(Self.readers[record.recordType])
            #expect(throws: Never.self) { try read(record) }
            for field in fields {
                for value: TelemetryValue? in [nil, .double(2.5)] {
                    var broken = record
                    broken[field] = value
                    #expect(throws: TelemetryRecordError.missingField(field), "\(record.recordType)") { try read(broken) }
                }
            }
        }
    }

    @Test("A record of another type is refused, for reading and for applying")
    func otherTypes() throws {
        for record in [Self.client, Self.scenario, Self.command, Self.event] {
            for (type, read) in Self.readers where type != record.recordType {
                #expect(throws: TelemetryRecordError.unexpectedRecordType(record.recordType)) { try read(record) }
            }
            let value = try #require(try Self.readers[record.recordType]?(record))
            let other = TelemetryRecord(recordType: "Other")
            #expect(throws: TelemetryRecordError.unexpectedRecordType("Other")) { try value.applying(to: other) }
        }
    }

    @Test("A command with an action or status of a later version is refused with its name")
    func laterCommands() {
        var record = Self.command
        record["action"] = "dance"
        #expect(throws: TelemetryRecordError.invalidAction("dance")) { try TelemetryCommandRecord(record: record) }
        record = Self.command
        record["status"] = "resting"
        #expect(throws: TelemetryRecordError.invalidStatus("resting")) { try TelemetryCommandRecord(record: record) }
    }

    @Test("Each record type has the error type `Error`, and each error's description contains its subject")
    func errors() {
        let errors: [TelemetryRecordError] = [
            TelemetryClientRecord.Error.missingRecordID, TelemetryScenarioRecord.Error.unexpectedRecordType("T"),
            TelemetryCommandRecord.Error.missingField("f"), TelemetryEvent.Error.invalidAction("a"), .invalidStatus("s"),
        ]
        for (error, part) in zip(errors, ["identifier", "T", "f", "a", "s"]) {
            #expect(error.errorDescription?.contains(part) == true)
            #expect(error.localizedDescription == error.errorDescription)
        }
    }

    // MARK: Clients

    @Test("A new client has no record identifier, and is created now")
    func newClient() {
        let before = Date.now
        let client = TelemetryClientRecord(clientId: "c", isEnabled: false)
        #expect(client.recordID == nil)
        #expect((before...Date.now).contains(client.created))
        #expect(client.toRecord().recordID != client.toRecord().recordID, "each record gets a random name")
    }

    @Test("Applying keeps unknown fields, the identity and the change tag")
    func applying() throws {
        var stored = Self.client
        stored.changeTag = "7"
        stored["fromTheFuture"] = 1
        let changed = try TelemetryClientRecord(clientId: "d", created: .distantPast, isEnabled: false).applying(to: stored)
        #expect(changed.recordID == "r" && changed.changeTag == "7" && changed["fromTheFuture"] == 1)
        #expect(changed["clientid"] == "d" && changed["isEnabled"] == false && changed["created"] == .date(.distantPast))
    }

    // MARK: Scenarios

    @Test("A new scenario has no record identifier, and is created now")
    func newScenario() {
        let before = Date.now
        let scenario = TelemetryScenarioRecord(clientId: "c", scenarioName: "Net", isEnabled: false)
        #expect(scenario.recordID == nil)
        #expect((before...Date.now).contains(scenario.created))
        let full = TelemetryScenarioRecord(recordID: "r", clientId: "c", scenarioName: "Net", isEnabled: true, created: before)
        #expect(full.recordID == "r" && full.clientId == "c" && full.scenarioName == "Net" && full.isEnabled)
        #expect(full.created == before)
    }

    @Test("A scenario's flag is stored as 0 or 1, and read from either form", arguments: [true, false])
    func scenarioFlag(isEnabled: Bool) throws {
        let scenario = TelemetryScenarioRecord(
            recordID: "r", clientId: "c", scenarioName: "Net", isEnabled: isEnabled, created: Self.date)
        var record = scenario.toRecord()
        #expect(record["isEnabled"] == .int(isEnabled ? 1 : 0))
        #expect(try TelemetryScenarioRecord(record: record) == scenario)
        record["isEnabled"] = .bool(isEnabled)
        #expect(try TelemetryScenarioRecord(record: record) == scenario)
    }

    @Test("Scenarios are equal if all their fields are equal")
    func scenarioEquality() {
        let scenario = TelemetryScenarioRecord(
            recordID: "r", clientId: "c", scenarioName: "Net", isEnabled: true, created: Self.date)
        var other = scenario
        #expect(other == scenario)
        other.isEnabled = false
        #expect(other != scenario)
        #expect(
            scenario
                != TelemetryScenarioRecord(
                    recordID: "r", clientId: "c", scenarioName: "net", isEnabled: true, created: Self.date))
    }

    @Test("Applying a scenario sets its fields, and updates the state in a stored record")
    func applyingScenario() throws {
        var scenario = try TelemetryScenarioRecord(record: Self.scenario)
        scenario.isEnabled = false
        let changed = try scenario.applying(to: Self.scenario)
        #expect(changed["isEnabled"] == 0 && changed["scenarioName"] == "Net" && changed.recordID == "r")
    }

    // MARK: Commands

    @Test("A new command is pending, has an identifier, and has a scenario only if it was given one")
    func newCommand() {
        let command = TelemetryCommandRecord(clientId: "c", action: .enable)
        #expect(command.status == .pending && command.scenarioName == nil && command.recordID == nil)
        #expect(command.executedAt == nil && command.errorMessage == nil)
        #expect(command.commandId != TelemetryCommandRecord(clientId: "c", action: .enable).commandId)
        #expect(UUID(uuidString: command.commandId) != nil)
        #expect(command.toRecord()["scenarioName"] == nil)
        #expect(TelemetryCommandRecord(clientId: "c", action: .enableScenario, scenarioName: "Net").scenarioName == "Net")
    }

    @Test("A command is read back from its record with and without a scenario", arguments: ["Net", nil])
    func commandRoundTrip(scenarioName: String?) throws {
        let command = TelemetryCommandRecord(
            recordID: "r", clientId: "c", action: .disableScenario, scenarioName: scenarioName, created: Self.date)
        #expect(try TelemetryCommandRecord(record: command.toRecord()) == command)
    }

    @Test("Applying a command removes fields that it no longer has")
    func applyingCommand() throws {
        let command = TelemetryCommandRecord(commandId: "1", clientId: "c", action: .enable, created: Self.date)
        let changed = try command.applying(to: Self.command)
        for field in ["executedAt", "errorMessage", "scenarioName"] { #expect(changed[field] == nil) }
        #expect(changed["status"] == "pending")
    }

    // MARK: Identities

    @Test("Identities derived from names are equal for canonically equal names, and differ for all others")
    func derivedIdentities() {
        typealias ID = TelemetryRecord.ID
        #expect(ID.client("caf\u{e9}").recordName == ID.client("cafe\u{301}").recordName)
        #expect(ID.client("a") != ID.client("A"))
        #expect(ID.scenario("b", ofClient: "a-b") != ID.scenario("b-b", ofClient: "a"))
        #expect(ID.scenario("", ofClient: "ab") != ID.scenario("b", ofClient: "a"))
        #expect(ID.client("x").recordName != ID.command("x").recordName)
        for text in ["", "x", String(repeating: "漢", count: 1_000), "../../etc/passwd"] {
            for id in [ID.client(text), .command(text), .scenario(text, ofClient: text)] {
                #expect((1...255).contains(id.recordName.utf8.count) && id.recordName.allSatisfy(\.isASCII))
                #expect(!id.recordName.hasPrefix("_") && !id.recordName.contains("/"))
            }
        }
    }
}
