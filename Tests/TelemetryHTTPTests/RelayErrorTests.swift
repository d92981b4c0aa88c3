import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

@testable import TelemetryHTTP

struct RelayErrorTests {
    typealias Code = TelemetryTransportError.Code
    static let url = URL(string: "https://user:pa55@relay.example/base/?token=s3cret")
    static var address: RelayAddress { RelayAddress(url ?? URL(filePath: "/")) }

    private static func error(_ status: Int, _ body: String = "", _ headers: [String: String] = [:]) -> TelemetryTransportError {
        TelemetryTransportError(
            refusal: HTTPReply(head: HTTPHead(status: status, headers: headers), body: Data(body.utf8)), address: address,
            now: Date(timeIntervalSince1970: 784_111_777))
    }

    static let statuses: [(Int, Code)] = [
        (400, .invalidArgument), (401, .unauthorized), (403, .unauthorized), (404, .notFound), (405, .invalidArgument),
        (408, .unavailable), (409, .conflict), (413, .quotaExceeded), (415, .invalidArgument), (421, .invalidArgument),
        (429, .rateLimited), (500, .unavailable), (502, .unavailable), (503, .unavailable), (504, .unavailable),
        (302, .unavailable), (308, .unavailable),
    ]

    @Test("A status without a problem's code maps to the documented code", arguments: statuses)
    func mapsStatus(_ status: Int, _ code: Code) {
        for body in ["", "<html>nginx</html>", "{", #"{"code":"somethingNew"}"#, #"{"code":7}"#] {
            #expect(Self.error(status, body).code == code)
        }
    }

    @Test(
        "A problem's code takes precedence over the status",
        arguments: [
            Code.notFound, .conflict, .invalidArgument, .unauthorized, .rateLimited, .unavailable, .quotaExceeded, .corrupted,
            .closed,
            .partialFailure,
        ])
    func mapsCode(_ code: Code) {
        let error = Self.error(400, #"{"title":"T","status":400,"detail":"the reason","code":"\#(code)"}"#)
        #expect(error.code == code)
        #expect(error.message == "The relay at https://relay.example/base answered 400: the reason")
        #expect(error.isRetryable == (code == .rateLimited || code == .unavailable))
    }

    @Test("A conflict carries the stored record; a partial failure carries each failed record's error")
    func carriesRecords() throws {
        let record = #"{"recordType":"T","recordName":"a","changeTag":"7","fields":{"n":1,"d":2.0,"x":null}}"#
        var stored = TelemetryRecord(recordType: "T", recordID: "a")
        stored.changeTag = "7"
        stored["n"] = 1
        stored["d"] = .double(2)
        #expect(Self.error(409, #"{"code":"conflict","record":\#(record)}"#).serverRecord == stored)
        let partial = Self.error(
            409,
            #"{"code":"partialFailure","saved":[\#(record)],"failures":[{"recordName":"a","code":"conflict","detail":"D","record":\#(record)},{"recordName":"b","code":"notFound","detail":""}]}"#
        )
        #expect(partial.code == .partialFailure)
        #expect(partial.failures.mapValues(\.code) == ["a": .conflict, "b": .notFound])
        #expect(partial.failures["a"]?.serverRecord == stored)
        #expect(partial.failures["a"]?.message == "D")
    }

    static let delays: [(value: String, date: String?, expected: Duration?)] = [
        ("0", nil, .zero), (" 12 ", nil, .seconds(12)), ("99999999999999999999999", nil, .seconds(86_400)),
        ("-1", nil, nil), ("1.5", nil, nil), ("soon", nil, nil), ("", nil, nil),
        ("Sun, 06 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", .seconds(60)),
        ("Sun, 06 Nov 1994 08:50:37 GMT", nil, .seconds(60)), ("Sun, 06 Nov 1994 08:40:00 GMT", nil, .zero),
        ("Sun Nov  6 08:50:37 1994", nil, .seconds(60)),
        ("Thursday, 06-Nov-94 08:50:37 GMT", "Sun, 06 Nov 2094 08:50:36 GMT", .seconds(1)),
        ("Sun, 32 Nov 1994 08:49:37 GMT", nil, nil), ("Sun, 06 Nov 1994 25:49:37 GMT", nil, nil),
    ]

    @Test("Retry-After is read as seconds and in each HTTP date format", arguments: delays)
    func readsRetryAfter(_ value: String, _ date: String?, _ expected: Duration?) {
        var headers = ["retry-after": value]
        headers["date"] = date
        #expect(Self.error(503, "", headers).retryAfter == expected)
    }

    static let failures: [(any Error & Sendable, Code)] = [
        (URLError(.cannotConnectToHost), .unavailable), (URLError(.networkConnectionLost), .unavailable),
        (URLError(.timedOut), .unavailable), (URLError(.cannotFindHost), .unavailable), (URLError(.unknown), .unavailable),
        (URLError(.secureConnectionFailed), .unavailable), (URLError(.serverCertificateUntrusted), .unauthorized),
        (URLError(.serverCertificateHasBadDate), .unauthorized), (URLError(.badURL), .invalidArgument),
        (URLError(.unsupportedURL), .invalidArgument), (DeadlineExceeded(limit: .seconds(3)), .unavailable),
        (HTTPOverflow(limit: 3), .unavailable),
        (
            NSError(
                domain: NSURLErrorDomain, code: -1,
                userInfo: [NSLocalizedDescriptionKey: "SSL certificate problem: self-signed certificate"]), .unauthorized
        ),
    ]

    @Test("A failure of the connection is retryable unless the certificate or the URL is wrong", arguments: failures.indices)
    func mapsFailure(_ index: Int) {
        let (failure, code) = Self.failures[index]
        let error = TelemetryTransportError(connectionFailure: failure, address: Self.address)
        #expect(error.code == code)
        #expect(error.message.contains("https://relay.example/base"))
        for text in ["pa55", "s3cret"] {
            #expect(!"\(error) \(String(reflecting: error)) \(error.localizedDescription)".contains(text))
        }
    }
}
