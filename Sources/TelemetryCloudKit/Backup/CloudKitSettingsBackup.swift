#if canImport(CloudKit)
import CloudKit
import Foundation
public import TelemetryModels
public import TelemetryPersistence
import TelemetryTransport

/// A backup of the settings in the user's private CloudKit database: one record, which every device of the user shares.
///
/// It contains the fields of ``TelemetryModels/TelemetrySchema/SettingsBackupField``; a client's pending work stays on the
/// device. Its errors are ``TelemetryTransport/TelemetryTransportError``.
public struct CloudKitSettingsBackup: TelemetrySettingsBackingUp {
    /// The record's name, the same on every device.
    public static let recordName = "telemetry-settings-backup"
    private static let attempts = 8

    private let database: CKDatabase

    /// - Parameter containerIdentifier: The container's identifier, as in the app's entitlements.
    public init(containerIdentifier: String) {
        database = CKContainer(identifier: containerIdentifier).privateCloudDatabase
    }

    /// Replaces the backup, regardless of its writer.
    public func saveSettings(_ settings: TelemetrySettings) async throws {
        try await translatingErrors {
            for attempt in 1...Self.attempts {
                let record =
                    try await stored()
                    ?? CKRecord(recordType: TelemetrySchema.settingsBackupRecordType, recordID: Self.recordID)
                fill(record, from: settings)
                do {
                    _ = try await database.save(record)
                    return
                } catch let error as CKError where error.code == .serverRecordChanged && attempt < Self.attempts {
                    // Another device saved meanwhile: retries with its version.
                    continue
                }
            }
        }
    }

    /// - Throws: ``TelemetryPersistence/TelemetrySettingsBackupError/corrupted(_:)`` for a record without the required fields; a
    ///   transport's error if the database cannot be reached.
    public func loadSettings() async throws -> TelemetrySettings? {
        try await translatingErrors {
            typealias Field = TelemetrySchema.SettingsBackupField
            guard let record = try await stored()?.telemetryRecord else { return nil }
            guard let requested = record[Field.telemetryRequested.rawValue]?.boolValue,
                let sending = record[Field.telemetrySendingEnabled.rawValue]?.boolValue
            else {
                throw TelemetrySettingsBackupError.corrupted("The record \"\(Self.recordName)\" lacks a required field.")
            }
            return TelemetrySettings(
                telemetryRequested: requested, telemetrySendingEnabled: sending,
                clientIdentifier: record[Field.clientIdentifier.rawValue]?.stringValue)
        }
    }

    public func clearSettings() async throws {
        try await translatingErrors {
            do {
                _ = try await database.deleteRecord(withID: Self.recordID)
            } catch let error as CKError where error.code == .unknownItem {
                return
            }
        }
    }

    private static var recordID: CKRecord.ID { CKRecord.ID(recordName: recordName) }

    private func stored() async throws -> CKRecord? {
        do {
            return try await database.record(for: Self.recordID)
        } catch let error as CKError where error.code == .unknownItem {
            return nil
        }
    }

    private func fill(_ record: CKRecord, from settings: TelemetrySettings) {
        typealias Field = TelemetrySchema.SettingsBackupField
        record[Field.telemetryRequested.rawValue] = Int64(settings.telemetryRequested ? 1 : 0)
        record[Field.telemetrySendingEnabled.rawValue] = Int64(settings.telemetrySendingEnabled ? 1 : 0)
        record[Field.clientIdentifier.rawValue] = settings.clientIdentifier
        record[Field.lastUpdated.rawValue] = Date.now
    }
}
#endif
