import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import TelemetryRelay

struct ProblemTests {
    @Test(
        "Each error is a problem document with its status and code",
        arguments: [
            ("GET", "/nowhere", nil, 404, "notFound"), ("GET", "/v1/records/x", nil, 404, "notFound"),
            ("PATCH", "/v1/events", "{}", 405, "invalidArgument"), ("POST", "/v1/server", "{}", 405, "invalidArgument"),
            ("DELETE", "/v1/records/x", nil, 405, "invalidArgument"), ("POST", "/v1/events", nil, 415, "invalidArgument"),
            ("POST", "/v1/records", "x", 400, "invalidArgument"),
        ] as [(String, String, String?, Int, String)])
    func documents(method: String, path: String, body: String?, status: Int, code: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await relay.send(try #require(HTTPRequest.Method(method)), path, body)
            #expect(answer.status.code == status)
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(answer["status"] as? Int == status)
            #expect(answer.code == code)
            for member in ["type", "title", "detail"] { #expect((answer[member] as? String)?.isEmpty == false) }
            #expect((answer.headers[.allow] != nil) == (status == 405))
        }
    }

    @Test("A request that is not HTTP, or whose head is too large, is a problem document")
    func unparsable() async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            for path in ["/a b", "/é", "/" + String(repeating: "a", count: 90_000)] {
                try await StreamLines.open(port: port, path) { answer in
                    #expect(answer.head.contains("HTTP/1.1 400 Bad Request"))
                    #expect(answer.head.contains("Content-Type: application/problem+json"))
                    #expect(!answer.head.contains("Content-Length: 0"))
                }
            }
        }
    }

    @Test("A body that ends early is a 400, not a failure of the storage")
    func incompleteBody() async throws {
        let parts = AsyncThrowingStream<ByteBuffer, any Error> { $0.finish(throwing: ChannelError.inputClosed) }
        let request = Request(
            head: HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/v1/events"),
            body: RequestBody(asyncSequence: parts))
        await #expect {
            try await request.boundedBody(limit: 10)
        } throws: { error in
            (error as? Request.BadBody)?.status == .badRequest
        }
    }

    @Test(
        "A body that is not application/json is a 415 on each route with a body",
        arguments: ["text/plain", "application/x-www-form-urlencoded", "application/ld+json", ""])
    func contentTypes(type: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            for (method, path) in [
                (HTTPRequest.Method.post, "/v1/events"), (.post, "/v1/records"), (.post, "/v1/records/query"),
                (.post, "/v1/records/delete"), (.put, "/v1/subscriptions/s"),
            ] {
                let answer = try await relay.send(method, path, "{}", headers: [.contentType: type])
                #expect(answer.status == .unsupportedMediaType)
                #expect(answer.code == "invalidArgument")
            }
        }
    }

    @Test(
        "A cross-site request is a 403, whatever token it has",
        arguments: [
            (["Origin: https://evil.example"], false), (["Origin: null"], false), (["Origin: http://localhost:3000"], false),
            (["Sec-Fetch-Site: cross-site"], false), (["Sec-Fetch-Site: same-site"], false), (["Origin: http://localhost"], true),
            (["Sec-Fetch-Site: none"], true), (["Sec-Fetch-Site: same-origin", "Origin: http://localhost"], true),
        ])
    func sites(headers: [String], isOwn: Bool) async throws {
        try await RelayBench.run { relay async throws -> Void in
            var fields: HTTPFields = [:]
            for header in headers {
                let parts = header.components(separatedBy: ": ")
                fields.append(HTTPField(name: try #require(HTTPField.Name(parts[0])), value: parts[1]))
            }
            let token = try await relay.token(.viewer)
            let answer = try await relay.send(.get, "/v1/server", as: .bearing(token), headers: fields)
            #expect(answer.status == (isOwn ? .ok : .forbidden))
            #expect(try await relay.send(.get, "/", headers: fields).status == .ok)
        }
    }

    @Test("A request after the storage is closed is a 503 with Retry-After")
    func closed() async throws {
        try await RelayBench.run { relay async throws -> Void in
            try await relay.storage.close()
            let answer = try await relay.get("/v1/events/count")
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.code == "unavailable")
            #expect(answer.headers[.retryAfter] != nil)
            #expect(try await relay.get("/readyz").status == .serviceUnavailable)
            #expect(try await relay.get("/healthz").status == .ok)
        }
    }

    @Test(
        "Names with any characters are accepted in paths and bodies",
        arguments: ["%2E", "%2E%2E", "a%2Fb", "%20", "%F0%9F%98%80", "%25", "a%00b"])
    func names(encoded: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let name = try #require(encoded.removingPercentEncoding)
            let json = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
            let body = #"{"policy":"insert","records":[{"recordType":"T","recordName":\#(json),"fields":{}}]}"#
            #expect(try await relay.post("/v1/records", body).status == .ok)
            let record = try await relay.get("/v1/records/\(encoded)")
            #expect(record["recordName"] as? String == name)
        }
    }

    @Test("Conflicts of several records are listed; the conflict of a single record is the response itself")
    func conflicts() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let first = try await relay.post("/v1/records", WireSample.save("insert", WireSample.record("1")))
            #expect((first.records.first?["changeTag"] as? String)?.isEmpty == false)
            let single = try await relay.post("/v1/records", WireSample.save("insert", WireSample.record("1", client: "z")))
            #expect(single.status == .conflict)
            #expect(single.code == "conflict")
            #expect(single.text.contains(#""record":{"recordType":"TelemetryScenario","recordName":"1""#))
            let several = try await relay.post(
                "/v1/records",
                WireSample.save(
                    "ifUnchanged", WireSample.record("1"), WireSample.record("2"), WireSample.record("3", tag: "gone")))
            #expect(several.status == .conflict)
            #expect(several.code == "partialFailure")
            #expect((several["saved"] as? [[String: Any]])?.compactMap { $0["recordName"] as? String } == ["2"])
            let failures = several["failures"] as? [[String: Any]] ?? []
            #expect(failures.compactMap { $0["code"] as? String } == ["conflict", "notFound"])
            #expect(failures.first?["record"] != nil)
            let bad = try await relay.post(
                "/v1/records", WireSample.save("insert", WireSample.record("9"), #"{"recordName":"8"}"#))
            #expect(bad.status == .badRequest)
            #expect(try await relay.get("/v1/records/9").status == .notFound)
        }
    }
}
