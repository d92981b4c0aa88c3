import Foundation
import HTTPTypes
import Testing

@testable import TelemetryRelay

/// The permissions of a host, for its own clients and for others.
struct HostRulesTests {
    private let host = TestCaller.host("a")
    private let other = TestCaller.host("b", key: "b")

    @Test("A host may append its own events; a foreign or missing clientid is a 403 that stores nothing")
    func append() async throws {
        try await RelayBench.run { [host] relay async throws -> Void in
            for event in [WireSample.event("2", client: "b"), WireSample.event("2", client: nil)] {
                let answer = try await relay.post("/v1/events", WireSample.batch(WireSample.event("1"), event), as: host)
                #expect(answer.status == .forbidden)
                #expect(answer.code == "unauthorized")
            }
            #expect(try await relay.get("/v1/events/count").text == #"{"count":0}"#)
            #expect(try await relay.post("/v1/events", WireSample.batch(WireSample.event("1")), as: host).status == .ok)
        }
    }

    @Test("A host reads, counts and deletes only its own events")
    func events() async throws {
        try await RelayBench.run { [host] relay async throws -> Void in
            _ = try await relay.post("/v1/events", WireSample.batch(WireSample.event("1"), WireSample.event("2", client: "b")))
            #expect(try await relay.get("/v1/events", as: host).list.compactMap { $0["eventId"] as? String } == ["1"])
            #expect(try await relay.get("/v1/events?client=b", as: host).list.isEmpty)
            #expect(try await relay.get("/v1/events/count", as: host).text == #"{"count":1}"#)
            #expect(try await relay.get("/v1/events/count?client=b", as: host).text == #"{"count":0}"#)
            #expect(try await relay.send(.delete, "/v1/events?client=b", as: host).text == #"{"deleted":0}"#)
            #expect(try await relay.send(.delete, "/v1/events?all=true", as: host).text == #"{"deleted":1}"#)
            #expect(try await relay.get("/v1/events/count").text == #"{"count":1}"#)
        }
    }

    @Test("A host reads and deletes only its own records, and reads rules")
    func records() async throws {
        try await RelayBench.run { [host] relay async throws -> Void in
            let records = [
                WireSample.record("own"), WireSample.record("foreign", client: "b"),
                WireSample.record("rule", type: "TelemetryRule", client: nil), WireSample.record("odd", client: nil),
            ]
            _ = try await relay.post("/v1/records", #"{"policy":"insert","records":[\#(records.joined(separator: ","))]}"#)
            for (name, status) in [("own", 200), ("foreign", 404), ("rule", 200), ("odd", 404), ("nothing", 404)] {
                #expect(try await relay.get("/v1/records/\(name)", as: host).status.code == status)
            }
            for (type, names) in [("TelemetryScenario", ["own"]), ("TelemetryRule", ["rule"])] {
                let answer = try await relay.post("/v1/records/query", #"{"recordType":"\#(type)"}"#, as: host)
                #expect(answer.records.compactMap { $0["recordName"] as? String } == names)
            }
            let foreign = #"{"recordType":"TelemetryScenario","conditions":{"clientid":"b"}}"#
            #expect(try await relay.post("/v1/records/query", foreign, as: host).records.isEmpty)
            let names = #"{"recordNames":["own","foreign","rule","odd","nothing"]}"#
            #expect(try await relay.post("/v1/records/delete", names, as: host).text == #"{"deleted":1}"#)
            #expect(try await relay.get("/v1/records/foreign").status == .ok)
        }
    }

    @Test("A save with one foreign record is a 403 that saves nothing and does not reveal what is stored")
    func foreignSave() async throws {
        try await RelayBench.run { [host] relay async throws -> Void in
            _ = try await relay.post(
                "/v1/records", WireSample.save("insert", WireSample.record("theirs", client: "b", more: #","z":"9""#)))
            for record in [
                WireSample.record("new", client: "b"), WireSample.record("new", client: nil), WireSample.record("theirs"),
                WireSample.record("rule", type: "TelemetryRule"), WireSample.record("command", type: "TelemetryCommand"),
            ] {
                for policy in ["insert", "overwrite", "ifUnchanged"] {
                    let answer = try await relay.post(
                        "/v1/records", WireSample.save(policy, WireSample.record("mine"), record), as: host)
                    #expect(answer.status == .forbidden)
                    #expect(!answer.text.contains("\"record\""))
                    #expect(try await relay.get("/v1/records/mine").status == .notFound)
                }
            }
        }
    }

    @Test("A host may change only the result fields of a command, and the issuer is kept")
    func commands() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer))
            let host = TestCaller.host("a", token: try await relay.token(.host))
            func command(_ more: String, _ tag: String? = nil) -> String {
                WireSample.record(
                    "c", type: "TelemetryCommand", tag: tag,
                    more: #","action":"enable","created":{"date":"2026-01-01T00:00:00.10Z"}\#(more)"#)
            }
            let saved = try await relay.post(
                "/v1/records", WireSample.save("insert", command(#","status":"pending","issuer":"forged""#)), as: viewer)
            let record = try #require(saved.records.first)
            let fields = try #require(record["fields"] as? [String: Any])
            let issuer = try #require(fields["issuer"] as? String)
            #expect(issuer.hasPrefix("viewer-"))
            let tag = try #require(record["changeTag"] as? String)
            let end = #","status":"executed","executedAt":{"date":"2026-01-01T00:00:01.5Z"},"result":"ok""#
            for wrong in ["", #","issuer":"me""#, #","issuer":"\#(issuer)","action2":"x""#] {
                let answer = try await relay.post(
                    "/v1/records", WireSample.save("ifUnchanged", command(end + wrong, tag)), as: host)
                #expect(answer.status == .forbidden)
            }
            let right = command(end + #","issuer":"\#(issuer)""#, tag)
            #expect(try await relay.post("/v1/records", WireSample.save("ifUnchanged", right), as: host).status == .ok)
            let stored = try await relay.get("/v1/records/c", as: host).text
            for part in ["\"status\":\"executed\"", "00:01.5Z", "00:00.10Z", "\"issuer\":\"\(issuer)\""] {
                #expect(stored.contains(part))
            }
            // An outdated copy is a conflict with the stored record, which is the host's own.
            let late = try await relay.post("/v1/records", WireSample.save("ifUnchanged", right), as: host)
            #expect(late.status == .conflict)
            #expect(late.code == "conflict")
            #expect(late.text.contains(#""record":{"#))
            _ = try await relay.post("/v1/records/delete", #"{"recordNames":["c"]}"#, as: viewer)
            #expect(try await relay.post("/v1/records", WireSample.save("ifUnchanged", right), as: host).status == .notFound)
        }
    }

    @Test("A host ends a command with a field that is not a number")
    func notANumber() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let host = TestCaller.host("a")
            func command(_ status: String) -> String {
                let fields = #","action":"enable","x":{"double":"nan"},"status":"\#(status)""#
                return WireSample.record("c", type: "TelemetryCommand", more: fields)
            }
            let executed = WireSample.save("overwrite", command("executed"))
            #expect(try await relay.post("/v1/records", WireSample.save("insert", command("pending"))).status == .ok)
            #expect(try await relay.post("/v1/records", executed, as: host).status == .ok)
        }
    }

    @Test("A host's subscriptions are its own, and may cover only its records and rules")
    func subscriptions() async throws {
        try await RelayBench.run { [host, other] relay async throws -> Void in
            func put(_ body: String, _ caller: TestCaller) async throws -> Int {
                try await relay.send(.put, "/v1/subscriptions/s%2F1", body, as: caller).status.code
            }
            #expect(try await put(#"{"recordType":"TelemetryCommand","clientid":"b"}"#, host) == 403)
            #expect(try await put(#"{"recordType":"TelemetryCommand"}"#, host) == 403)
            #expect(try await put(#"{"recordType":"TelemetryRule"}"#, host) == 204)
            #expect(try await relay.get("/v1/subscriptions/s%2F1", as: other).status == .notFound)
            #expect(try await relay.get("/v1/subscriptions/s%2F1").status == .notFound)
            #expect(try await put(#"{"recordType":"TelemetryCommand","clientid":"b"}"#, other) == 204)
            #expect(try await put(#"{"recordType":"TelemetryClient"}"#, .nobody) == 204)
            for caller in [other, .nobody] {
                #expect(try await relay.send(.delete, "/v1/subscriptions/s%2F1", as: caller).status == .noContent)
                #expect(try await relay.send(.delete, "/v1/subscriptions/s%2F1", as: caller).status == .noContent)
            }
            let own = try await relay.get("/v1/subscriptions/s%2F1", as: host)
            #expect(own.text == #"{"id":"s/1","recordType":"TelemetryRule"}"#)
        }
    }

    @Test("The first key of a client is bound; another is a 403, and several clients need a key each")
    func keys() async throws {
        try await RelayBench.run { [host] relay async throws -> Void in
            #expect(try await relay.get("/v1/events", as: host).status == .ok)
            #expect(try await relay.get("/v1/events", as: .host("a", key: "b")).status == .forbidden)
            var both = TestCaller(clients: ["new", "a"], key: "b")
            #expect(try await relay.get("/v1/events", as: both).status == .forbidden)
            both.key = "a"
            #expect(try await relay.get("/v1/events", as: both).status == .ok)
            // One identifier in two Unicode normalization forms.
            #expect(try await relay.get("/v1/events", as: .host("%C3%A9")).status == .ok)
            #expect(try await relay.get("/v1/events", as: .host("e%CC%81", key: "b")).status == .forbidden)
            _ = try await relay.post("/v1/events", WireSample.batch(WireSample.event("1", client: "\u{E9}")))
            #expect(try await relay.get("/v1/events/count", as: .host("e%CC%81")).text == #"{"count":1}"#)
        }
    }

    @Test(
        "Malformed client headers are a 401",
        arguments: [
            (nil, "aa"), ("a", nil), ("a", "xx"), ("a", "00"), ("", "00"), ("a,b", "00"), ("a", "00,00"), ("%", "00"),
            ("%FF", "00"),
            ("a b", "00"), ("a,,b", "00,00,00"), ("é", "00"), ("1,2,3,4,5,6,7,8,9", "00,00,00,00,00,00,00,00,00"),
            ("a,a", "00,11"),
        ] as [(String?, String?)])
    func malformed(client: String?, key: String?) async throws {
        try await RelayBench.run { relay async throws -> Void in
            var headers: HTTPFields = [:]
            headers[.telemetryClient] = client
            // Replaces two digits with 64, except in keys that are meant to be malformed.
            let isWrong = client == "a" && (key == "00" || key == "xx" || key == "aa")
            headers[.telemetryClientKey] =
                isWrong
                ? key
                : key?.replacing("00", with: String(repeating: "0", count: 64))
                    .replacing("11", with: String(repeating: "1", count: 64))
            #expect(try await relay.send(.get, "/v1/events", headers: headers).status == .unauthorized)
        }
    }

    @Test("New clients are limited per token; known clients are not")
    func newClients() async throws {
        var configuration = RelayConfiguration()
        configuration.rates.newClients = 2
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            for client in ["1", "2", "1"] { #expect(try await relay.get("/v1/server", as: .host(client)).status == .ok) }
            let third = try await relay.get("/v1/server", as: .host("3"))
            #expect(third.status == .tooManyRequests)
            #expect(third.code == "rateLimited")
            #expect(third.headers[.retryAfter].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
            #expect(try await relay.get("/v1/server", as: .host("2")).status == .ok)
        }
    }

    @Test("The request limit of a token holds for all its clients, and does not affect other tokens")
    func tokenRate() async throws {
        var configuration = RelayConfiguration()
        configuration.rates.token = 2
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            let (token, other) = (try await relay.token(.host), try await relay.token(.viewer))
            for client in ["1", "2"] {
                #expect(try await relay.get("/v1/server", as: .host(client, token: token)).status == .ok)
            }
            #expect(try await relay.get("/v1/server", as: .host("1", token: token)).status == .tooManyRequests)
            #expect(try await relay.get("/v1/server", as: .bearing(other)).status == .ok)
        }
    }

    @Test("The request limit of a client does not affect other clients")
    func clientRate() async throws {
        var configuration = RelayConfiguration()
        configuration.rates.client = 3
        try await RelayBench.run(configuration: configuration) { [host, other] relay async throws -> Void in
            for _ in 1...3 { #expect(try await relay.get("/v1/server", as: host).status == .ok) }
            #expect(try await relay.get("/v1/server", as: host).status == .tooManyRequests)
            #expect(try await relay.get("/v1/server", as: other).status == .ok)
        }
    }
}
