import Foundation
import TelemetryCloudKit
import TelemetryModels
import Testing

struct CloudKitRecordTests {
    @Test(
        "Fields of the schema are stored as CloudKit fields",
        arguments: [
            ("TelemetryClient", "isEnabled", true), ("TelemetryEvent", "eventName", true), ("Thing", "clientid", true),
            ("Thing", "isEnabled", false), ("TelemetryEvent", "mine", false), ("TelemetryCommandReceipt", "status", true),
        ])
    func kinds(type: String, field: String, isKept: Bool) {
        #expect((CloudKitField.kind(of: field, in: type) != nil) == isKept)
    }

    @Test("Fields outside the schema are stored as JSON text, and each value keeps its kind")
    func overflow() throws {
        let overflow = CloudKitOverflow(
            name: "r",
            fields: ["flag": true, "one": 1, "double": .double(2), "text": "é", "date": .date(.init(timeIntervalSince1970: 0.5))])
        let text = try #require(try overflow.text())
        #expect(CloudKitOverflow(text: text) == overflow)
        #expect(try CloudKitOverflow().text() == nil)
        #expect(try CloudKitOverflow(fields: [:]).text() == nil)
        #expect(CloudKitOverflow(text: "no JSON") == nil)
    }

    @Test("A receipt's fields replace the command's, and the command keeps its identity")
    func receipts() throws {
        var command = TelemetryRecord(recordType: TelemetrySchema.commandRecordType, recordID: "command-1")
        command["status"] = "pending"
        command.changeTag = "a"
        var wanted = command
        wanted["status"] = "executed"
        var receipt = CloudKitReceipt.receipt(for: wanted)
        receipt.changeTag = "b"
        let merged = try #require(CloudKitReceipt.command(command, with: receipt))
        #expect(merged.recordID == command.recordID)
        #expect(merged.recordType == command.recordType)
        #expect(merged["status"] == "executed")
        #expect(merged.changeTag != command.changeTag)
        receipt["status"] = .string(CloudKitReceipt.removed)
        #expect(CloudKitReceipt.command(command, with: receipt) == nil)
    }
}
