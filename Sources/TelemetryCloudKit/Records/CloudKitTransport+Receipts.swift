#if canImport(CloudKit)
import CloudKit
import TelemetryModels
import TelemetryTransport

extension CloudKitTransport {
    /// A stored record, and the receipt that a client gave for it.
    struct Stored {
        let record: CKRecord
        let receipt: CKRecord?

        /// Nil where the receipt removes it.
        var telemetryRecord: TelemetryRecord? {
            guard let receipt else { return record.telemetryRecord }
            return CloudKitReceipt.command(record.telemetryRecord, with: receipt.telemetryRecord)
        }
    }

    /// The stored records among these, with the receipts that the caller may read.
    func stored(_ ids: [CKRecord.ID]) async throws -> [CKRecord.ID: Stored] {
        try await withReceipts(Array(try await fetch(ids).values))
    }

    /// Adds to each command the receipt that there is for it.
    func withReceipts(_ records: [CKRecord]) async throws -> [CKRecord.ID: Stored] {
        let names = records.filter { $0.recordType == TelemetrySchema.commandRecordType }.map(Self.receiptID)
        let receipts = names.isEmpty ? [:] : try await fetch(names)
        var stored: [CKRecord.ID: Stored] = [:]
        for record in records {
            stored[record.recordID] = Stored(record: record, receipt: receipts[Self.receiptID(for: record)])
        }
        return stored
    }

    /// Says in a receipt what a command has become.
    func saveReceipt(_ command: TelemetryRecord, for stored: Stored) async throws -> Outcome {
        let receipt = try stored.receipt ?? CKRecord(filledFrom: CloudKitReceipt.receipt(for: command))
        try receipt.fill(from: CloudKitReceipt.receipt(for: command))
        let original = stored.record.telemetryRecord
        let outcome = try await store([receipt])[receipt.recordID] ?? Self.unsaid
        return outcome.map { CloudKitReceipt.command(original, with: $0) ?? original }
    }

    /// Takes a command out of sight that the caller may not delete.
    func hide(_ stored: Stored) async throws {
        guard var command = stored.telemetryRecord else { return }
        command[TelemetrySchema.CommandField.status.rawValue] = .string(CloudKitReceipt.removed)
        _ = try await saveReceipt(command, for: stored).get()
    }

    static func receiptID(for command: CKRecord) -> CKRecord.ID {
        let name = command.telemetryRecord.recordID.recordName
        return CKRecord.ID(recordName: CloudKitReceipt.name(forCommandNamed: name))
    }
}
#endif
