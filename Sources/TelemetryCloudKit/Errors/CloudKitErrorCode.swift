package import TelemetryTransport

/// CloudKit's error codes by their numbers, as `CKError.Code` declares them, and the transport's code for each.
///
/// Declared here so that the table is compiled and tested on every system.
package enum CloudKitErrorCode: Int, CaseIterable, Sendable {
    case internalError = 1
    case partialFailure, networkUnavailable, networkFailure, badContainer, serviceUnavailable, requestRateLimited
    case missingEntitlement, notAuthenticated, permissionFailure, unknownItem, invalidArguments, resultsTruncated
    case serverRecordChanged, serverRejectedRequest, assetFileNotFound, assetFileModified, incompatibleVersion
    case constraintViolation, operationCancelled, changeTokenExpired, batchRequestFailed, zoneBusy, badDatabase
    case quotaExceeded, zoneNotFound, limitExceeded, userDeletedZone, tooManyParticipants, alreadyShared
    case referenceViolation, managedAccountRestricted, participantMayNeedVerification, serverResponseLost
    case assetNotAvailable, accountTemporarilyUnavailable, participantAlreadyInvited

    /// Returns the transport's code for the number.
    ///
    /// An unknown number counts as temporary, like a missing network: every request of the transport can be repeated without a
    /// second effect, and an error that turns out to be permanent must not lose events. It is repeated only after the caller's
    /// delay, never at once.
    package static func transportCode(for number: Int) -> TelemetryTransportError.Code {
        Self(rawValue: number)?.transportCode ?? .unavailable
    }

    package var transportCode: TelemetryTransportError.Code {
        switch self {
        case .unknownItem, .zoneNotFound, .userDeletedZone:
            .notFound
        case .serverRecordChanged:
            .conflict
        case .partialFailure:
            .partialFailure
        case .missingEntitlement, .notAuthenticated, .permissionFailure, .incompatibleVersion, .managedAccountRestricted,
            .participantMayNeedVerification:
            .unauthorized
        case .requestRateLimited, .zoneBusy:
            .rateLimited
        case .quotaExceeded, .limitExceeded:
            .quotaExceeded
        case .badContainer, .invalidArguments, .serverRejectedRequest, .assetFileNotFound, .assetFileModified,
            .constraintViolation, .changeTokenExpired, .badDatabase, .tooManyParticipants, .alreadyShared,
            .referenceViolation, .participantAlreadyInvited:
            .invalidArgument
        case .internalError, .networkUnavailable, .networkFailure, .serviceUnavailable, .resultsTruncated, .operationCancelled,
            .batchRequestFailed, .serverResponseLost, .assetNotAvailable, .accountTemporarilyUnavailable:
            .unavailable
        }
    }

    /// Whether an item that failed in a batch is retried alone, at once.
    package var isWorthRetryingAlone: Bool {
        switch self {
        case .batchRequestFailed, .limitExceeded, .serverResponseLost, .networkFailure: true
        default: false
        }
    }
}
