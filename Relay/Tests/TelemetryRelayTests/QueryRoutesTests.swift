import Foundation
import HTTPTypes
import TelemetryModels
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

struct QueryRoutesTests {
    private static let events = WireSample.batch(
        WireSample.event("1", more: #","scenario":"Net","attributes":{"status":200,"took":1.5}"#),
        WireSample.event("2", client: "b", more: #","scenario":"Net","attributes":{"status":503}"#),
        WireSample.event("3", more: #","logLevel":"diagnostic","attributes":{"status":"503"},"property1":"timed out""#))

    private static func ask(_ query: String, more: String = "") -> String {
        let text = String(decoding: (try? JSONEncoder().encode(query)) ?? Data(), as: UTF8.self)
        return #"{"query":\#(text)\#(more)}"#
    }

    @Test(
        "A query is answered with a table or with events",
        arguments: [
            (
                "| stats count(), avg(took) by scenario", "",
                #"{"columns":["scenario","count()","avg(took)"],"rows":[["Net",2,1.5],[null,1,null]],"matched":3}"#
            ),
            ("status:=503 | stats count()", "", #"{"columns":["count()"],"rows":[[2]],"matched":2}"#),
            ("status:=503 | stats count()", #","client":"b""#, #"{"columns":["count()"],"rows":[[1]],"matched":1}"#),
            (
                "status:=503 | stats count()", #","client":["a"],"level":["diagnostic"],"session":"s""#,
                #"{"columns":["count()"],"rows":[[1]],"matched":1}"#
            ),
            ("| stats count()", #","scenario":["Net"],"name":"n""#, #"{"columns":["count()"],"rows":[[2]],"matched":2}"#),
            ("| stats count()", #","scenario":[]"#, #"{"columns":["count()"],"rows":[[0]],"matched":0}"#),
            ("| stats count()", #","until":"2026-11-21T08:00:00Z""#, #"{"columns":["count()"],"rows":[[0]],"matched":0}"#),
            ("time:1m | stats count()", #","now":"2026-11-21T08:01:00Z""#, #"{"columns":["count()"],"rows":[[3]],"matched":3}"#),
            ("time:1m | stats count()", #","now":"2026-11-21T08:01:01Z""#, #"{"columns":["count()"],"rows":[[0]],"matched":0}"#),
            (
                "| stats count() by time:1h", "",
                #"{"columns":["time:1h","count()"],"rows":[[{"date":"2026-11-21T08:00:00.000Z"},3]],"matched":3}"#
            ),
            ("| top client", #","limit":1"#, #"{"columns":["client","count"],"rows":[["a",2]],"matched":3,"hasMore":true}"#),
            ("nothing", "", #"{"events":[],"matched":0,"hasMore":false}"#),
        ])
    func answers(query: String, more: String, expected: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            #expect(try await relay.post("/v1/events", Self.events).status == .ok)
            let answer = try await relay.post("/v1/query", Self.ask(query, more: more))
            #expect(answer.status == .ok)
            #expect(answer.text == expected)
        }
    }

    @Test("Events of a result are those of a page, at most as many as were asked for")
    func events() async throws {
        try await RelayBench.run { relay async throws -> Void in
            _ = try await relay.post("/v1/events", Self.events)
            let answer = try await relay.post("/v1/query", Self.ask("status:=503", more: #","limit":1"#))
            #expect(answer["matched"] as? Int == 2)
            #expect(answer["hasMore"] as? Bool == true)
            #expect(answer.list.count == 1)
            let page = try await relay.get("/v1/events?client=b").list
            #expect(NSDictionary(dictionary: answer.list[0]) == NSDictionary(dictionary: try #require(page.first)))
            let sorted = try await relay.post("/v1/query", Self.ask("| sort by sequence, status desc | limit 2"))
            #expect(sorted.list.map { $0["eventId"] as? String } == ["2", "3"])
        }
    }

    @Test("query is one more filter of events, counts and deletions")
    func filter() async throws {
        try await RelayBench.run { relay async throws -> Void in
            _ = try await relay.post("/v1/events", Self.events)
            let query = "query=status%3A%3D503%20-%22timed%20out%22"
            #expect(try await relay.get("/v1/events?\(query)").list.map { $0["eventId"] as? String } == ["2"])
            #expect(try await relay.get("/v1/events?client=a&\(query)").list.isEmpty)
            #expect(try await relay.get("/v1/events?order=desc&query=timed").list.map { $0["eventId"] as? String } == ["3"])
            #expect(try await relay.get("/v1/events/count?\(query)").text == #"{"count":1}"#)
            #expect(try await relay.send(.delete, "/v1/events?\(query)").text == #"{"deleted":1}"#)
            #expect(try await relay.get("/v1/events/count").text == #"{"count":2}"#)
        }
    }

    @Test(
        "What is not a query is a 400 with its position",
        arguments: [("status:%3Eabc", "status:>abc", 8), ("%28a", "(a", 0), ("a%20%7C%20limit%201", "a | foo", 4)])
    func malformed(parameter: String, query: String, offset: Int) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await relay.post("/v1/query", Self.ask(query))
            #expect(answer.status == .badRequest)
            #expect(answer.code == "invalidArgument")
            #expect(answer["offset"] as? Int == offset)
            for path in ["/v1/events", "/v1/events/count", "/v1/events/stream"] {
                let answer = try await relay.get("\(path)?query=\(parameter)")
                #expect(answer.status == .badRequest)
                #expect(answer["offset"] as? Int == (parameter.contains("limit") ? 2 : offset))
            }
        }
    }

    @Test(
        "Bad members are a 400",
        arguments: [
            "", "[]", "{}", #"{"query":1}"#, #"{"query":"","limit":0}"#, #"{"query":"","limit":10001}"#,
            #"{"query":"","now":"yesterday"}"#,
            #"{"query":"","client":["a","b"]}"#, #"{"query":"","level":"loud"}"#, #"{"query":"","scenario":[1]}"#,
        ])
    func badMembers(body: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await relay.post("/v1/query", body)
            #expect(answer.status == .badRequest)
            #expect(answer.code == "invalidArgument")
        }
    }

    @Test("A host asks about its own events alone")
    func host() async throws {
        try await RelayBench.run { relay async throws -> Void in
            _ = try await relay.post("/v1/events", Self.events)
            let token = try await relay.token(.host)
            let count = Self.ask("| stats count()")
            #expect(try await relay.post("/v1/query", count, as: .host("a", token: token)).text.contains("[[2]]"))
            let other = try await relay.post(
                "/v1/query", Self.ask("| stats count()", more: #","client":"b""#), as: .host("a", token: token))
            #expect(other.text.contains("[[0]]"))
            #expect(
                try await relay.get("/v1/events/count?query=client%3A%3Db", as: .host("a", token: token)).text == #"{"count":0}"#)
            #expect(try await relay.post("/v1/query", count, as: .bearing(try await relay.token(.reader))).text.contains("[[3]]"))
        }
    }

    @Test("A host's query that reads too much is a 413, a reader's is not")
    func hostBytes() async throws {
        var configuration = RelayConfiguration()
        configuration.limits.hostQueryBytes = 100
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            _ = try await relay.post("/v1/events", Self.events)
            let host = TestCaller.host("a", token: try await relay.token(.host))
            let answer = try await relay.post("/v1/query", Self.ask("| stats count_distinct(text)"), as: host)
            #expect(answer.status == .contentTooLarge)
            #expect(answer.code == "quotaExceeded")
            let narrow = Self.ask("| stats count(text)", more: #","level":"diagnostic""#)
            #expect(try await relay.post("/v1/query", narrow, as: host).status == .contentTooLarge)
            #expect(try await relay.post("/v1/query", Self.ask("", more: #","name":"x""#), as: host).status == .ok)
            // Counted by summaries.
            #expect(try await relay.post("/v1/query", Self.ask("| stats count()"), as: host).status == .ok)
            let reader = TestCaller.bearing(try await relay.token(.reader))
            #expect(try await relay.post("/v1/query", Self.ask("| stats count()"), as: reader).status == .ok)
        }
    }

    @Test("A query that takes too long is a 413, and a caller's fifth query at once a 429")
    func limits() async throws {
        let clock = ManualClock()
        let shares = QueryShares(time: .seconds(10), clock: clock)
        let caller = RelayCaller(credential: .configured, tokenName: nil, role: .reader)
        let other = RelayCaller(credential: .none, tokenName: nil, role: .viewer)
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        try await shares.run(for: caller) {
                            // Until it is cancelled.
                            for await _ in AsyncStream<Void>.makeStream().stream {}
                        }
                        return nil
                    } catch let problem as Problem {
                        return problem.status.code
                    }
                }
            }
            await clock.sleepers(atLeast: 4)
            let refusal = await #expect(throws: Problem.self) { try await shares.run(for: caller) {} }
            #expect(refusal?.status == .tooManyRequests)
            try await shares.run(for: other) {}
            clock.advance(by: .seconds(10))
            for _ in 0..<4 { #expect(try await group.next() == 413) }
            try await shares.run(for: caller) {}
        }
    }
}
