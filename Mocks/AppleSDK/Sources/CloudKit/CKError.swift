import FakeCloudKitServer
public import Foundation

/// <https://developer.apple.com/documentation/cloudkit/ckerror>
///
/// Its code is a member that Foundation declares, as in the SDK, so that a file that reads it has to import Foundation.
public struct CKError: _BridgedStoredNSError, LocalizedError {
    public static var _nsErrorDomain: String { "CKErrorDomain" }

    /// <https://developer.apple.com/documentation/cloudkit/ckerror/code>
    public enum Code: Int, Sendable, _ErrorCodeProtocol {
        public typealias _ErrorType = CKError

        case internalError = 1
        case partialFailure, networkUnavailable, networkFailure, badContainer, serviceUnavailable, requestRateLimited
        case missingEntitlement, notAuthenticated, permissionFailure, unknownItem, invalidArguments, resultsTruncated
        case serverRecordChanged, serverRejectedRequest, assetFileNotFound, assetFileModified, incompatibleVersion
        case constraintViolation, operationCancelled, changeTokenExpired, batchRequestFailed, zoneBusy, badDatabase
        case quotaExceeded, zoneNotFound, limitExceeded, userDeletedZone, tooManyParticipants, alreadyShared
        case referenceViolation, managedAccountRestricted, participantMayNeedVerification, serverResponseLost
        case assetNotAvailable, accountTemporarilyUnavailable, participantAlreadyInvited
    }

    private static let faultKey = "StandInFault"

    public let _nsError: NSError

    public init(_nsError error: NSError) { _nsError = error }

    init(_ fault: ServerFault) {
        let code = Code(rawValue: fault.code) ?? .internalError
        self.init(
            _nsError: NSError(
                domain: Self._nsErrorDomain, code: code.rawValue,
                userInfo: [Self.faultKey: fault, NSLocalizedDescriptionKey: fault.message]))
    }

    /// Errors that the client detects itself.
    init(standIn code: Code, message: String = "") { self.init(ServerFault(code: code.rawValue, message: message)) }

    private var fault: ServerFault? { _nsError.userInfo[Self.faultKey] as? ServerFault }

    /// <https://developer.apple.com/documentation/cloudkit/ckerror/retryafterseconds>
    public var retryAfterSeconds: Double? { fault?.retryAfter }

    /// <https://developer.apple.com/documentation/cloudkit/ckerror/serverrecord>
    public var serverRecord: CKRecord? { fault?.stored.map(CKRecord.init) }

    /// <https://developer.apple.com/documentation/cloudkit/ckerror/partialerrorsbyitemid>
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        guard let partial = fault?.partial, !partial.isEmpty else { return nil }
        return Dictionary(uniqueKeysWithValues: partial.map { (AnyHashable(CKRecord.ID(recordName: $0)), CKError($1)) })
    }

    public var errorDescription: String? { fault?.message }
}
