import HTTPTypes
import Testing

@testable import TelemetryRelay

/// What a host may store beside events.
struct HostLimitsTests {
    private let host = TestCaller.host("a")

    private static var configuration: RelayConfiguration {
        var configuration = RelayConfiguration()
        configuration.limits.clientRecords = 3
        configuration.limits.recordBytes = 200
        configuration.limits.clientSubscriptions = 2
        return configuration
    }

    @Test("A client has a limited number of records: others are a 413, those that it has can be changed")
    func records() async throws {
        try await RelayBench.run(configuration: Self.configuration) { [host] relay async throws -> Void in
            func save(_ policy: String, _ names: String...) async throws -> RelayBench.Answer {
                let records = names.map { WireSample.record($0) }.joined(separator: ",")
                return try await relay.post("/v1/records", #"{"policy":"\#(policy)","records":[\#(records)]}"#, as: host)
            }
            #expect(try await save("insert", "1", "2").status == .ok)
            let refused = try await save("insert", "3", "4")
            #expect(refused.status == .contentTooLarge && refused.code == "quotaExceeded")
            #expect(try await relay.get("/v1/records/3").status == .notFound)
            #expect(try await save("insert", "3").status == .ok)
            #expect(try await save("overwrite", "1", "2", "3").status == .ok)
            #expect(try await save("overwrite", "4").status == .contentTooLarge)
            _ = try await relay.post("/v1/records/delete", #"{"recordNames":["1"]}"#, as: host)
            #expect(try await save("insert", "4").status == .ok)
            let others = TestCaller.host("b", key: "b")
            let other = WireSample.save("insert", WireSample.record("b1", client: "b"))
            #expect(try await relay.post("/v1/records", other, as: others).status == .ok)
            let viewers = (5..<9).map { WireSample.record("\($0)") }.joined(separator: ",")
            #expect(try await relay.post("/v1/records", #"{"policy":"insert","records":[\#(viewers)]}"#).status == .ok)
        }
    }

    @Test("A client has a limited number of records of itself")
    func ownRecords() async throws {
        try await RelayBench.run { [host] relay async throws -> Void in
            func save(_ name: Int, _ type: String = "TelemetryClient") async throws -> HTTPResponse.Status {
                let body = WireSample.save("overwrite", WireSample.record("\(name)", type: type))
                return try await relay.post("/v1/records", body, as: host).status
            }
            for name in 1...8 { #expect(try await save(name) == .ok) }
            #expect(try await save(9) == .contentTooLarge)
            #expect(try await save(8) == .ok)
            #expect(try await save(10, "TelemetryScenario") == .ok)
        }
    }

    @Test("Large clients are refused first, then viewers with a scope, hosts, and the other viewers")
    func allRecords() async throws {
        var configuration = RelayConfiguration()
        configuration.limits.recordBytesInAll = 100_000
        let time = TestTime()
        try await RelayBench.run(configuration: configuration, uptime: { time.uptime }) { relay async throws -> Void in
            let text = #","z":"\#(String(repeating: "x", count: 15_000))""#
            func save(_ name: String, client: String, as caller: TestCaller) async throws -> RelayBench.Answer {
                let body = WireSample.save("overwrite", WireSample.record(name, client: client, more: text))
                return try await relay.post("/v1/records", body, as: caller)
            }
            let names = RelayTokens(storage: relay.storage.tokens)
            let scope = RelayScope(clients: ["a"])
            let viewer = TestCaller.bearing(try await names.create(role: .viewer, name: "viewer"))
            let scoped = TestCaller.bearing(try await names.create(role: .viewer, name: "scoped", scope: scope))
            let token = try await names.create(role: .host, name: "host")
            let (hostA, hostB) = (TestCaller.host("a", token: token), TestCaller.host("b", token: token))
            // What is saved counts at once: the size of all is not read again in between.
            for name in 1...7 { #expect(try await save("\(name)", client: "a", as: hostA).status == .ok) }
            let refused = try await save("8", client: "a", as: hostA)
            #expect(refused.status == .contentTooLarge && refused.code == "quotaExceeded")
            #expect((refused["detail"] as? String)?.contains("100000") == true)
            #expect(try await save("b1", client: "b", as: hostB).status == .ok)
            #expect(try await save("b2", client: "b", as: hostB).status == .contentTooLarge)
            #expect(try await save("s1", client: "a", as: scoped).status == .ok)
            let scopedRefused = try await save("s2", client: "a", as: scoped)
            #expect((scopedRefused["detail"] as? String)?.contains("125000") == true)
            let subscription = #"{"recordType":"TelemetryCommand","clientid":"a"}"#
            #expect(try await relay.send(.put, "/v1/subscriptions/s", subscription, as: scoped).status == .contentTooLarge)
            // Clients with few bytes fill another quarter.
            let long = #"{"recordType":"\#(String(repeating: "x", count: 8_000))","clientid":"a"}"#
            for (id, status) in [("1", 204), ("2", 204), ("3", 413)] {
                #expect(try await relay.send(.put, "/v1/subscriptions/\(id)", long, as: hostA).status.code == status)
            }
            #expect(try await save("c1", client: "c", as: TestCaller.host("c", token: token)).status == .contentTooLarge)
            for number in 1...4 { #expect(try await save("v\(number)", client: "a", as: viewer).status == .ok) }
            #expect(try await save("v5", client: "a", as: viewer).status == .contentTooLarge)
            #expect(try await relay.send(.put, "/v1/subscriptions/v", subscription, as: viewer).status == .contentTooLarge)
            time.pass(2)
            #expect(try await save("v5", client: "a", as: viewer).status == .contentTooLarge)
            let saved = (1...7).map { "\"\($0)\"" } + (1...4).map { "\"v\($0)\"" } + ["\"s1\""]
            _ = try await relay.post("/v1/records/delete", "{\"recordNames\":[\(saved.joined(separator: ","))]}", as: viewer)
            time.pass(2)
            #expect(try await save("b2", client: "b", as: hostB).status == .ok)
        }
    }

    @Test("A host's record has a limited size")
    func size() async throws {
        try await RelayBench.run(configuration: Self.configuration) { [host] relay async throws -> Void in
            let large = WireSample.save("insert", WireSample.record("1", more: #","z":"\#(String(repeating: "x", count: 200))""#))
            let refused = try await relay.post("/v1/records", large, as: host)
            #expect(refused.status == .contentTooLarge && (refused["detail"] as? String)?.contains("200") == true)
            #expect(try await relay.post("/v1/records", large).status == .ok)
        }
    }

    @Test("The records of each client have a limited size together: a 413 states the limit, and those stored can be replaced")
    func totalSize() async throws {
        try await RelayBench.run { [host] relay async throws -> Void in
            let text = #","z":"\#(String(repeating: "x", count: 64_000))""#
            func save(
                _ numbers: ClosedRange<Int>, as caller: TestCaller, client: String = "a"
            ) async throws -> RelayBench.Answer {
                let records = numbers.map { WireSample.record("\(client)\($0)", client: client, more: text) }
                let body = WireSample.save("overwrite", records.joined(separator: ","))
                return try await relay.post("/v1/records", body, as: caller)
            }
            #expect(try await save(1...10, as: host).status == .ok)
            #expect(try await save(5...16, as: host).status == .ok)
            let refused = try await save(17...17, as: host)
            #expect(refused.status == .contentTooLarge && refused.code == "quotaExceeded")
            #expect((refused["detail"] as? String)?.contains("1048576") == true)
            #expect(try await save(1...17, as: host).status == .contentTooLarge)
            #expect(try await save(1...16, as: host).status == .ok)
            // A caller with two identifiers does not use the space of one for the other.
            let both = TestCaller(clients: ["a", "b"])
            #expect(try await save(17...17, as: both).status == .contentTooLarge)
            #expect(try await save(1...16, as: both, client: "b").status == .ok)
            _ = try await relay.post("/v1/records/delete", #"{"recordNames":["a1"]}"#, as: host)
            #expect(try await save(17...17, as: host).status == .ok)
            #expect(try await save(18...20, as: .nobody).status == .ok)
        }
    }

    /// A token that sees the client "a" alone.
    private static func scoped(_ relay: RelayBench) async throws -> TestCaller {
        let tokens = RelayTokens(storage: relay.storage.tokens)
        return .bearing(try await tokens.create(role: .viewer, name: "scoped", scope: RelayScope(clients: ["a"])))
    }

    @Test("A token with a scope leaves half of what a client may have for the client")
    func scopedRecords() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let scoped = try await Self.scoped(relay)
            let host = TestCaller.host("a", token: try await relay.token(.host))
            func save(_ number: Int, _ bytes: Int, as caller: TestCaller) async throws -> Int {
                let text = #","z":"\#(String(repeating: "x", count: bytes))""#
                let record = WireSample.record("\(number)", type: "TelemetryScenario", more: text)
                return try await relay.post("/v1/records", WireSample.save("insert", record), as: caller).status.code
            }
            #expect(try await save(0, 33_000, as: scoped) == 413)
            for number in 1...16 { #expect(try await save(number, 32_000, as: scoped) == 200) }
            #expect(try await save(17, 32_000, as: scoped) == 413)
            for number in 18...25 { #expect(try await save(number, 63_000, as: host) == 200) }
        }
    }

    @Test("A subscription of a host or of a token with a scope has a limited size", arguments: [false, true])
    func subscriptionSize(isScoped: Bool) async throws {
        try await RelayBench.run { [host] relay async throws -> Void in
            let caller = isScoped ? try await Self.scoped(relay) : host
            for (length, status) in [(8_000, 204), (8_192, 413)] {
                let body = #"{"recordType":"\#(String(repeating: "x", count: length))","clientid":"a"}"#
                #expect(try await relay.send(.put, "/v1/subscriptions/1", body, as: caller).status.code == status)
                if !isScoped { #expect(try await relay.send(.put, "/v1/subscriptions/1", body).status == .noContent) }
            }
        }
    }

    @Test("A client or a token with a scope has a limited number of subscriptions", arguments: [false, true])
    func subscriptions(isScoped: Bool) async throws {
        try await RelayBench.run(configuration: Self.configuration) { [host] relay async throws -> Void in
            let caller = isScoped ? try await Self.scoped(relay) : host
            let body = #"{"recordType":"TelemetryCommand","clientid":"a"}"#
            for (id, status) in [("1", 204), ("2", 204), ("3", 413), ("2", 204)] {
                let answer = try await relay.send(.put, "/v1/subscriptions/\(id)", body, as: caller)
                #expect(answer.status.code == status)
            }
        }
    }
}
