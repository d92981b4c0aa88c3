import TelemetryCloudKit
import TelemetryTransport
import Testing

struct CloudKitErrorTests {
    @Test(
        "Each of CloudKit's codes that a caller can act on says so",
        arguments: [
            (2, TelemetryTransportError.Code.partialFailure), (3, .unavailable), (4, .unavailable), (6, .unavailable),
            (7, .rateLimited), (9, .unauthorized), (10, .unauthorized), (11, .notFound), (12, .invalidArgument), (14, .conflict),
            (23, .rateLimited), (25, .quotaExceeded), (26, .notFound), (27, .quotaExceeded), (36, .unavailable),
        ])
    func codes(number: Int, code: TelemetryTransportError.Code) {
        #expect(CloudKitErrorCode.transportCode(for: number) == code)
    }

    @Test("The codes have the numbers that CloudKit gives them, without a gap")
    func numbers() {
        #expect(CloudKitErrorCode.allCases.map(\.rawValue) == Array(1...36))
        #expect(CloudKitErrorCode(rawValue: 14) == .serverRecordChanged)
        #expect(CloudKitErrorCode(rawValue: 27) == .limitExceeded)
    }

    @Test("A code that this version does not know may pass")
    func unknown() {
        #expect(CloudKitErrorCode.transportCode(for: 999) == .unavailable)
    }
}
