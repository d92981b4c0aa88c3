import FakeCloudKitServer
public import Foundation

/// <https://developer.apple.com/documentation/cloudkit/ckerror>
public struct CKError: Error, LocalizedError {
    /// <https://developer.apple.com/documentation/cloudkit/ckerror/code>
    public enum Code: Int, Sendable {
        case internalError = 1
        case partialFailure, networkUnavailable, networkFailure, badContainer, serviceUnavailable, requestRateLimited
        case missingEntitlement, notAuthenticated, permissionFailure, unknownItem, invalidArguments, resultsTruncated
        case serverRecordChanged, serverRejectedRequest, assetFileNotFound, assetFileModified, incompatibleVersion
        case constraintViolation, operationCancelled, changeTokenExpired, batchRequestFailed, zoneBusy, badDatabase
        case quotaExceeded, zoneNotFound, limitExceeded, userDeletedZone, tooManyParticipants, alreadyShared
        case referenceViolation, managedAccountRestricted, participantMayNeedVerification, serverResponseLost
        case assetNotAvailable, accountTemporarilyUnavailable
    }

    public let code: Code
    /// <https://developer.apple.com/documentation/cloudkit/ckerror/retryafterseconds>
    public let retryAfterSeconds: Double?
    let message: String
    let stored: ServerRecord?
    let partial: [CKRecord.ID: CKError]

    /// <https://developer.apple.com/documentation/cloudkit/ckerror/serverrecord>
    public var serverRecord: CKRecord? { stored.map(CKRecord.init) }

    /// <https://developer.apple.com/documentation/cloudkit/ckerror/partialerrorsbyitemid>
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        partial.isEmpty ? nil : Dictionary(uniqueKeysWithValues: partial.map { (AnyHashable($0), $1) })
    }

    public var errorDescription: String? { message }

    init(_ fault: ServerFault) {
        code = Code(rawValue: fault.code) ?? .internalError
        retryAfterSeconds = fault.retryAfter
        message = fault.message
        stored = fault.stored
        partial = Dictionary(uniqueKeysWithValues: fault.partial.map { (CKRecord.ID(recordName: $0), CKError($1)) })
    }

    /// Errors that the client detects itself.
    init(standIn code: Code, message: String = "") { self.init(ServerFault(code: code.rawValue, message: message)) }
}
