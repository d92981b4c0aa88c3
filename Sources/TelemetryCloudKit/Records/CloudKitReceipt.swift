package import TelemetryModels

/// A client's outcome of a command, in a separate record, because the client may not change the command.
///
/// CloudKit's roles distinguish a record's creator but not its addressee. If every signed-in user could write commands, anyone
/// could command any client. So only viewers may write commands, and a client stores a command's outcome in a receipt. Reading a
/// command returns it with the receipt's fields in place of its own. A client cannot read other clients' receipts.
package enum CloudKitReceipt {
    /// The status of a receipt that hides its command from every reader.
    package static let removed = "removed"

    /// The receipt's name, derived from the command's.
    package static func name(forCommandNamed name: String) -> String { "receipt-" + EncodedName.encode(name, limit: 200) }

    /// Whether a receipt can change this field, so that a query's condition on it cannot be evaluated by the server.
    package static func canChange(_ field: String, in recordType: String) -> Bool {
        recordType == TelemetrySchema.commandRecordType && field != TelemetrySchema.CommandField.clientId.rawValue
    }

    /// Returns the receipt for a client's version of the command.
    package static func receipt(for command: TelemetryRecord) -> TelemetryRecord {
        var receipt = TelemetryRecord(
            recordType: CloudKitSchemaFile.receiptRecordType,
            recordID: .init(recordName: name(forCommandNamed: command.recordID.recordName)))
        for (field, value) in command.fields { receipt[field] = value }
        return receipt
    }

    /// Returns the command with its receipt's fields, or nil if the receipt removes it.
    package static func command(_ command: TelemetryRecord, with receipt: TelemetryRecord) -> TelemetryRecord? {
        if receipt[TelemetrySchema.CommandField.status.rawValue]?.stringValue == removed { return nil }
        var merged = TelemetryRecord(recordType: command.recordType, recordID: command.recordID)
        for (field, value) in receipt.fields { merged[field] = value }
        // Changes if either of the two changes.
        merged.changeTag = "\(command.changeTag ?? "")+\(receipt.changeTag ?? "")"
        return merged
    }
}
