#if canImport(CloudKit)
import CloudKit
import TelemetryModels
import TelemetryTransport

/// Reads and writes commands with their receipts: what a client may not write into a command, it writes into a record of its own.
struct CloudKitReceipts: Sendable {
    let requests: CloudKitRequests

    /// A stored record and its receipt.
    struct Stored {
        let record: CKRecord
        let receipt: CKRecord?

        /// Nil if the receipt removes it.
        var telemetryRecord: TelemetryRecord? {
            guard let receipt else { return record.telemetryRecord }
            return CloudKitReceipt.command(record.telemetryRecord, with: receipt.telemetryRecord)
        }
    }

    /// Returns the stored records, with the receipts that the caller may read.
    func stored(_ ids: [CKRecord.ID]) async throws -> [CKRecord.ID: Stored] {
        try await withReceipts(Array(try await requests.fetch(ids).values))
    }

    /// Adds each command's receipt.
    func withReceipts(_ records: [CKRecord]) async throws -> [CKRecord.ID: Stored] {
        let names = records.filter { $0.recordType == TelemetrySchema.commandRecordType }.map(Self.receiptID)
        let receipts = names.isEmpty ? [:] : try await requests.fetch(names)
        var stored: [CKRecord.ID: Stored] = [:]
        for record in records {
            stored[record.recordID] = Stored(record: record, receipt: receipts[Self.receiptID(for: record)])
        }
        return stored
    }

    /// Stores a command's outcome in a receipt.
    func saveReceipt(_ command: TelemetryRecord, for stored: Stored) async throws -> CloudKitRequests.Outcome {
        let receipt = try stored.receipt ?? CKRecord(filledFrom: CloudKitReceipt.receipt(for: command))
        try receipt.fill(from: CloudKitReceipt.receipt(for: command))
        let original = stored.record.telemetryRecord
        let outcome = try await requests.store([receipt])[receipt.recordID] ?? CloudKitRequests.missingResult
        if stored.receipt == nil, outcome.isConflict, try await requests.fetch([receipt.recordID]).isEmpty {
            // Another user's receipt, which the caller cannot read, has this name; retrying does not help.
            return .failure(
                TelemetryTransportError(
                    code: .corrupted, message: "Another user has created the receipt for this command."))
        }
        return outcome.map { CloudKitReceipt.command(original, with: $0) ?? original }
    }

    /// Hides a command that the caller may not delete.
    /// - Returns: Whether it is hidden; false if another user created a receipt for it.
    func hide(_ stored: Stored) async throws -> Bool {
        guard var command = stored.telemetryRecord else { return false }
        command[TelemetrySchema.CommandField.status.rawValue] = .string(CloudKitReceipt.removed)
        do {
            _ = try await saveReceipt(command, for: stored).get()
            return true
        } catch let error as TelemetryTransportError where error.code == .unauthorized || error.code == .corrupted {
            return false
        }
    }

    private static func receiptID(for command: CKRecord) -> CKRecord.ID {
        let name = command.telemetryRecord.recordID.recordName
        return CKRecord.ID(recordName: CloudKitReceipt.name(forCommandNamed: name))
    }
}
#endif
