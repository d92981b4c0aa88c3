import Foundation
import HTTPTypes
import Testing

@testable import TelemetryRelay

struct RelayEventRoutesTests {
    @Test("Events take omitted fields from the context, and are returned complete, in order and once")
    func context() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let body = #"""
                {"context":{"clientid":"a","sessionId":"s","scenario":"Net","deviceType":"Linux","attributes":{"x":1},"later":[{}]},
                "events":[{"eventId":"1","eventName":"n","eventTimestamp":"2026-11-21T08:00:00.12Z"},
                {"eventId":"2","eventName":"m","eventTimestamp":"2026-11-21T08:00:01.123456789Z","scenario":null,"sequence":7,
                "attributes":{"y":2.0,"n":null},"sessionId":"t"}]}
                """#
            let first = try await relay.post("/v1/events", body)
            #expect(first.status == .ok)
            #expect(first.text == #"{"stored":2,"duplicates":0}"#)
            #expect(try await relay.post("/v1/events", body).text == #"{"stored":0,"duplicates":2}"#)
            let page = try await relay.get("/v1/events")
            #expect(
                page.text.hasPrefix(
                    #"{"events":[{"eventId":"1","eventName":"n","eventTimestamp":"2026-11-21T08:00:00.12Z","sessionId":"s","deviceType":"Linux","scenario":"Net","clientid":"a","attributes":{"x":1}},{"eventId":"2","eventName":"m","eventTimestamp":"2026-11-21T08:00:01.123456789Z","sessionId":"t","deviceType":"Linux","scenario":"Net","clientid":"a","sequence":7,"attributes":{"y":2.0}}],"cursor":""#
                ))
            #expect(page.text.hasSuffix(#","hasMore":false,"skipped":0}"#))
        }
    }

    @Test("The context may follow the events")
    func contextAfterEvents() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let body =
                #"{"events":[{"eventId":"1","eventTimestamp":"2026-11-21T08:00:00Z"}],"context":{"eventName":"n","sessionId":"s"}}"#
            #expect(try await relay.post("/v1/events", body).text == #"{"stored":1,"duplicates":0}"#)
        }
    }

    @Test(
        "Each kind of value is returned as it was sent",
        arguments: [
            (#""t""#, #""t""#), ("true", "true"), ("1", "1"), ("-0", "0"), ("2.0", "2.0"), ("1e3", "1000.0"),
            (#"{"double":1}"#, "1.0"), (#"{"double":"nan"}"#, #"{"double":"nan"}"#),
            (#"{"double":"-inf"}"#, #"{"double":"-inf"}"#),
            (#"{"double":"inf"}"#, #"{"double":"inf"}"#),
            (#"{"date":"2026-01-01T00:00:00.10Z"}"#, #"{"date":"2026-01-01T00:00:00.10Z"}"#),
            (#"{"date":"2026-01-01t00:00:00z","later":[]}"#, #"{"date":"2026-01-01T00:00:00Z"}"#),
            (#""\u00e9\n\u0001""#, #""é\n\u0001""#), ("9223372036854775807", "9223372036854775807"), ("1e300", "1e+300"),
        ])
    func values(sent: String, expected: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let event = WireSample.event("1", more: #","attributes":{"v":\#(sent)}"#)
            #expect(try await relay.post("/v1/events", WireSample.batch(event)).status == .ok)
            #expect(try await relay.get("/v1/events").text.contains(#""attributes":{"v":\#(expected)}"#))
            let record = WireSample.record("r", more: #","v":\#(sent)"#)
            #expect(try await relay.post("/v1/records", WireSample.save("insert", record)).status == .ok)
            #expect(try await relay.get("/v1/records/r").text.contains(#""v":\#(expected)}"#))
        }
    }

    @Test(
        "A body with an invalid part stores nothing",
        arguments: [
            "", "{", "[]", "{}", #"{"events":{}}"#, #"{"events":[7]}"#, #"{"context":7,"events":[]}"#,
            WireSample.batch(WireSample.event("1"), WireSample.event("")),
            WireSample.batch(WireSample.event("1"), #"{"eventName":"n"}"#),
            WireSample.batch(WireSample.event("1"), WireSample.event("2", client: "")),
            WireSample.batch(WireSample.event("1", more: #","sequence":-1"#)),
            WireSample.batch(WireSample.event("1", more: #","sequence":1.0"#)),
            WireSample.batch(WireSample.event("1", more: #","logLevel":"loud""#)),
            WireSample.batch(WireSample.event("1", more: #","threadId":7"#)),
            WireSample.batch(WireSample.event("1", more: #","attributes":[]"#)),
            WireSample.batch(WireSample.event("1", more: #","attributes":{"a":[1]}"#)),
            WireSample.batch(WireSample.event("1", more: #","attributes":{"a":{"b":1}}"#)),
            WireSample.batch(WireSample.event("1", more: #","attributes":{"a":{"date":"now"}}"#)),
            WireSample.batch(WireSample.event("1", more: #","attributes":{"a":99999999999999999999}"#)),
            WireSample.batch(WireSample.event("1", more: #","eventTimestamp":"2026-11-21T08:00:00+01:00""#)),
            WireSample.batch(WireSample.event("1", more: #","eventTimestamp":"2026-11-21T08:00:00.1234567890Z""#)),
            WireSample.batch(WireSample.event("1")) + "x",
        ])
    func malformed(body: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await relay.post("/v1/events", body)
            #expect(answer.status == .badRequest)
            #expect(answer.code == "invalidArgument")
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(try await relay.get("/v1/events/count").text == #"{"count":0}"#)
        }
    }

    @Test("An eventId is unique per client, so that a client cannot suppress another's event")
    func uniqueness() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let batch = WireSample.batch(WireSample.event("1"), WireSample.event("1", client: "b"), WireSample.event("1"))
            #expect(try await relay.post("/v1/events", batch).text == #"{"stored":2,"duplicates":1}"#)
            #expect(try await relay.send(.delete, "/v1/events?client=a").text == #"{"deleted":1}"#)
            #expect(try await relay.post("/v1/events", batch).text == #"{"stored":0,"duplicates":3}"#)
        }
    }

    @Test("Filters, pages and orders return the matching events")
    func filters() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let events = (1...5).map { number in
                WireSample.event(
                    "\(number)", client: number < 4 ? "a" : "b",
                    more: #","scenario":"S \#(number % 2)+","logLevel":"\#(number == 5 ? "diagnostic" : "info")""#)
            }
            _ = try await relay.post("/v1/events", #"{"events":[\#(events.joined(separator: ","))]}"#)
            func found(_ query: String) async throws -> [String] {
                try await relay.get("/v1/events?\(query)").list.compactMap { $0["eventId"] as? String }
            }
            #expect(try await found("client=a") == ["1", "2", "3"])
            #expect(try await found("client=c").isEmpty)
            #expect(try await found("scenario=S%201%2B") == ["1", "3", "5"])
            #expect(try await found("scenario=S+1%2B&scenario=x") == ["1", "3", "5"])
            #expect(try await found("level=diagnostic") == ["5"])
            #expect(try await found("level=diagnostic&level=info").count == 5)
            #expect(try await found("name=m&name=n&client=b") == ["4", "5"])
            #expect(try await found("since=2026-11-21T08:00:00.000000001Z").isEmpty)
            #expect(try await found("until=2026-11-21T08:00:00Z").isEmpty)
            #expect(try await found("since=2026-11-21T08:00:00.000Z").count == 5)
            #expect(try await found("since=2026-11-21T08:00:00+00:00").count == 5)
            #expect(try await found("order=desc&limit=2") == ["5", "4"])
            let page = try await relay.get("/v1/events?order=desc&limit=2")
            let cursor = try #require(page["cursor"] as? String)
            #expect(try await found("order=desc&after=\(cursor)") == ["3", "2", "1"])
            #expect(try await found("after=\(cursor)") == ["5"])
            #expect(try await relay.get("/v1/events/count?client=a").text == #"{"count":3}"#)
            #expect(try await relay.send(.delete, "/v1/events?client=a&level=diagnostic").text == #"{"deleted":0}"#)
            #expect(try await relay.send(.delete, "/v1/events?all=true").text == #"{"deleted":5}"#)
        }
    }

    @Test(
        "An invalid query is a 400",
        arguments: [
            "GET /v1/events?limit=1001", "GET /v1/events?limit=0", "GET /v1/events?limit=x", "GET /v1/events?limit=1&limit=1",
            "GET /v1/events?wait=61", "GET /v1/events?wait=-1", "GET /v1/events?wait=1&order=desc", "GET /v1/events?order=up",
            "GET /v1/events?client=a&client=b", "GET /v1/events?level=loud", "GET /v1/events?since=now", "GET /v1/events?x=1",
            "GET /v1/events?client=%zz", "GET /v1/events?client=%FF", "GET /v1/events?after=nonsense", "GET /v1/events?all=true",
            "GET /v1/events/count?limit=1", "GET /v1/events/count?after=x", "GET /v1/events/count?wait=1",
            "GET /v1/events/count?order=asc", "DELETE /v1/events", "DELETE /v1/events?all=false", "DELETE /v1/events?all=maybe",
            "DELETE /v1/events?client=a&limit=1", "DELETE /v1/events?client=a&all=true", "GET /v1/events/stream?limit=1",
            "GET /v1/events/stream?after=nonsense", "GET /v1/records/a?b", "GET /v1/records/%zz", "GET /v1/server?x",
        ])
    func badQueries(request: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let parts = request.split(separator: " ")
            let answer = try await relay.send(parts[0] == "GET" ? .get : .delete, String(parts[1]))
            #expect(answer.status == .badRequest)
            #expect(answer.code == "invalidArgument")
        }
    }

    @Test("A request beyond a limit is a 413 that states it, and the server reports its limits")
    func limits() async throws {
        var configuration = RelayConfiguration()
        configuration.limits.bodyBytes = 1000
        configuration.limits.batchEvents = 2
        configuration.limits.saveRecords = 1
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            let three = WireSample.batch(WireSample.event("1"), WireSample.event("2"), WireSample.event("3"))
            let two = WireSample.save("insert", WireSample.record("1"), WireSample.record("2"))
            for (path, body, limit) in [
                ("/v1/events", three, "2"), ("/v1/records", two, "1"),
                ("/v1/events", String(repeating: " ", count: 1001), "1000"),
            ] {
                let answer = try await relay.post(path, body)
                #expect(answer.status == .contentTooLarge)
                #expect(answer.code == "quotaExceeded")
                #expect((answer["detail"] as? String)?.contains(limit) == true)
            }
            #expect(
                try await relay.get("/v1/server").text.contains(
                    #""limits":{"bodyBytes":1000,"batchEvents":2,"saveRecords":1,"page":1000,"waitSeconds":60},"role":"viewer"}"#)
            )
        }
    }

    @Test("The server lists the rules of retention, but not to hosts")
    func retention() async throws {
        var configuration = RelayConfiguration()
        configuration.eventRetention = RelayEventRetention(
            capacity: 9, bytes: 1 << 20, age: 3_600, rules: [try RetentionRule("Debug*=1d,100MB"), try RetentionRule("\"=2MB")])
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            let rules = #"[{"scenario":"Debug*","age":86400,"bytes":104857600},{"scenario":"\"","age":3600,"bytes":2097152}]"#
            #expect(
                try await relay.get("/v1/server").text.contains(
                    #""retention":\#(rules),"defaultRetention":{"age":3600,"bytes":1048576,"events":9},"limits""#))
            let host = try await relay.get("/v1/server", as: .host("a"))
            #expect(host.status == .ok)
            #expect(!host.text.contains("etention"))
        }
    }
}
