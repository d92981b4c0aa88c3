#if canImport(CloudKit)
import CloudKit
import Foundation
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

extension TelemetryTransportError {
    /// Returns the transport's error for a CloudKit error. Cancellations and transport errors are returned unchanged.
    static func translating(_ error: any Error) -> any Error {
        if error is TelemetryTransportError || error is CancellationError { return error }
        if error is TelemetrySettingsBackupError { return error }
        guard let cloudKit = error as? CKError else {
            return TelemetryTransportError(
                code: .unavailable, message: "CloudKit could not be reached: \(error.localizedDescription)", cause: error)
        }
        if cloudKit.code == .operationCancelled { return CancellationError() }
        return TelemetryTransportError(cloudKit)
    }

    init(_ error: CKError) {
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        for (item, failure) in error.partialErrorsByItemID ?? [:] {
            guard let id = item as? CKRecord.ID, let failure = failure as? CKError else { continue }
            let name = CloudKitName.recordName(from: id.recordName) ?? id.recordName
            failures[TelemetryRecord.ID(recordName: name)] = TelemetryTransportError(failure)
        }
        self.init(
            code: CloudKitErrorCode.transportCode(for: error.code.rawValue),
            message: "CloudKit: \(error.localizedDescription)",
            serverRecord: error.code == .serverRecordChanged ? error.serverRecord?.telemetryRecord : nil,
            failures: failures,
            retryAfter: error.retryAfterSeconds.map { .milliseconds(Int64(($0 * 1_000).rounded(.up))) },
            cause: error)
    }
}
#endif
