import TelemetryCloudKit
import TelemetryTransport
import Testing

struct CloudKitErrorTests {
    @Test(
        "CloudKit's codes map to the transport's codes",
        arguments: [
            (2, TelemetryTransportError.Code.partialFailure), (3, .unavailable), (4, .unavailable), (6, .unavailable),
            (7, .rateLimited), (9, .unauthorized), (10, .unauthorized), (11, .notFound), (12, .invalidArgument), (14, .conflict),
            (23, .rateLimited), (25, .quotaExceeded), (26, .notFound), (27, .quotaExceeded), (36, .unavailable),
            (37, .invalidArgument),
        ])
    func codes(number: Int, code: TelemetryTransportError.Code) {
        #expect(CloudKitErrorCode.transportCode(for: number) == code)
    }

    @Test("The codes have CloudKit's numbers, without a gap")
    func numbers() {
        #expect(CloudKitErrorCode.allCases.map(\.rawValue) == Array(1...37))
        #expect(CloudKitErrorCode(rawValue: 14) == .serverRecordChanged)
        #expect(CloudKitErrorCode(rawValue: 27) == .limitExceeded)
    }

    @Test("An unknown code is retryable")
    func unknown() {
        #expect(CloudKitErrorCode.transportCode(for: 999) == .unavailable)
    }

    @Test("An item is retried at once only after an error that concerns other items, the batch's size or the connection")
    func alone() {
        let retried = CloudKitErrorCode.allCases.filter(\.isWorthRetryingAlone)
        #expect(retried == [.networkFailure, .batchRequestFailed, .limitExceeded, .serverResponseLost])
    }
}
