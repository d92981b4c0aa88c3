import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

struct TelemetryTransportErrorTests {
    private static let codes: [(TelemetryTransportError.Code, String)] = [
        (.notFound, "notFound"), (.conflict, "conflict"), (.invalidArgument, "invalidArgument"),
        (.unauthorized, "unauthorized"), (.rateLimited, "rateLimited"), (.unavailable, "unavailable"),
        (.quotaExceeded, "quotaExceeded"), (.corrupted, "corrupted"), (.closed, "closed"),
        (.partialFailure, "partialFailure"),
    ]

    @Test("Only .rateLimited and .unavailable are retryable", arguments: codes)
    func retryable(code: TelemetryTransportError.Code, name: String) {
        let error = TelemetryTransportError(code: code, message: "why")
        #expect(error.isRetryable == (code == .rateLimited || code == .unavailable))
        #expect(code.description == name)
        #expect("\(error)" == "\(name): why")
    }

    @Test("The ten codes differ")
    func codesDiffer() {
        #expect(Set(Self.codes.map(\.0)).count == 10)
    }

    @Test("An error keeps its initial values, and has defaults for the rest")
    func carries() {
        let bare = TelemetryTransportError(code: .closed, message: "closed")
        #expect(bare.serverRecord == nil && bare.failures.isEmpty && bare.retryAfter == nil && bare.cause == nil)
        let record = TelemetryRecord(recordType: "t", recordID: "r")
        let full = TelemetryTransportError(
            code: .conflict, message: "m", serverRecord: record, failures: ["r": bare], retryAfter: .seconds(3),
            cause: CancellationError())
        #expect(full.serverRecord == record)
        #expect(full.failures["r"]?.code == .closed)
        #expect(full.retryAfter == .seconds(3))
        #expect(full.cause is CancellationError)
        #expect(full.localizedDescription == "m")
    }
}
