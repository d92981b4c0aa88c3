import Foundation
import TelemetryCloudKit
import TelemetryModels
import Testing

struct CloudKitRecordTests {
    @Test(
        "Which fields CloudKit keeps as such",
        arguments: [
            ("TelemetryClient", "isEnabled", true), ("TelemetryEvent", "eventName", true), ("Thing", "clientid", true),
            ("Thing", "isEnabled", false), ("TelemetryEvent", "mine", false), ("TelemetryCommandReceipt", "status", true),
        ])
    func kinds(type: String, field: String, isKept: Bool) {
        #expect((CloudKitField.kind(of: field, in: type) != nil) == isKept)
    }

    @Test("What has no field of its own is kept as JSON text, each kind of value as itself")
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

    @Test("A receipt's fields stand in for the command's, under the command's identity")
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
