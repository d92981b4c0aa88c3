package import TelemetryModels

/// A client's word on a command that it may read and not change, in a record of its own.
///
/// CloudKit's roles know who created a record, not whom it is addressed to. Where commands may be written by everybody signed
/// in, anybody can command any client; so they are the viewer's alone, and what a client has to say of one it says here. Who
/// reads a command gets it with the receipt's fields in place of its own. A client cannot read other clients' receipts.
package enum CloudKitReceipt {
    /// The status of a receipt that takes its command out of everybody's sight.
    package static let removed = "removed"

    /// The receipt's name, which follows from the command's.
    package static func name(forCommandNamed name: String) -> String { "receipt-" + EncodedName.encode(name, limit: 200) }

    /// Whether a query's condition on this field can be put to the server: what a receipt says is not in the command.
    package static func canChange(_ field: String, in recordType: String) -> Bool {
        recordType == TelemetrySchema.commandRecordType && field != TelemetrySchema.CommandField.clientId.rawValue
    }

    /// The receipt's record for what a client wants the command to be.
    package static func receipt(for command: TelemetryRecord) -> TelemetryRecord {
        var receipt = TelemetryRecord(
            recordType: CloudKitSchemaFile.receiptRecordType,
            recordID: .init(recordName: name(forCommandNamed: command.recordID.recordName)))
        for (field, value) in command.fields { receipt[field] = value }
        return receipt
    }

    /// The command as its receipt says, or nil where the receipt removes it.
    package static func command(_ command: TelemetryRecord, with receipt: TelemetryRecord) -> TelemetryRecord? {
        if receipt[TelemetrySchema.CommandField.status.rawValue]?.stringValue == removed { return nil }
        var merged = TelemetryRecord(recordType: command.recordType, recordID: command.recordID)
        for (field, value) in receipt.fields { merged[field] = value }
        // Changes whichever of the two does.
        merged.changeTag = "\(command.changeTag ?? "")+\(receipt.changeTag ?? "")"
        return merged
    }
}
