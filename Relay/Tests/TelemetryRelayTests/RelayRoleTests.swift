import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import TelemetryRelay

/// The permissions of each role on each route.
struct RelayRoleTests {
    private static let event = WireSample.batch(WireSample.event("1"))
    private static let record = WireSample.save("insert", WireSample.record("r"))
    private static let query = #"{"recordType":"TelemetryScenario"}"#

    /// Requests with the roles that may make them.
    private static let requests: [(HTTPRequest.Method, String, String?, Set<RelayRole>)] = [
        (.post, "/v1/events", event, [.host, .viewer]),
        (.get, "/v1/events", nil, [.host, .viewer, .reader]),
        (.get, "/v1/events/count", nil, [.host, .viewer, .reader]),
        (.get, "/v1/events/scenarios", nil, [.viewer, .reader]),
        (.delete, "/v1/events?client=a", nil, [.host, .viewer]),
        (.post, "/v1/query", #"{"query":"| stats count()"}"#, [.host, .viewer, .reader]),
        (.post, "/v1/records", record, [.host, .viewer]),
        (.post, "/v1/records/query", query, [.host, .viewer, .reader]),
        (.post, "/v1/records/delete", #"{"recordNames":["x"]}"#, [.host, .viewer]),
        (.put, "/v1/subscriptions/s", #"{"recordType":"TelemetryCommand","clientid":"a"}"#, [.host, .viewer]),
        (.delete, "/v1/subscriptions/s", nil, [.host, .viewer]),
        (.get, "/v1/server", nil, [.host, .viewer, .reader]),
        (.get, "/v1/audit", nil, [.viewer, .auditor]),
        (.get, "/v1/alerts", nil, [.viewer, .reader]),
        (.put, "/v1/alerts/a", #"{"query":"x","webhook":"hook"}"#, [.viewer]),
        (.post, "/v1/alerts/a/test", nil, [.viewer]),
        (.delete, "/v1/alerts/a", nil, [.viewer]),
        (.get, "/metrics", nil, [.viewer, .reader]),
        (.get, "/debug/logs", nil, [.viewer, .reader]),
        (.post, "/debug/logs", #"{"entries":[]}"#, [.host, .viewer]),
    ]

    @Test("A role may use only its routes; without a valid token, no route may be used", arguments: RelayRole.allCases)
    func roles(role: RelayRole) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let token = try await relay.token(role)
            _ = try await RelayWebhooks(storage: relay.storage.webhooks).add("hook", url: "http://127.0.0.1:1")
            for (method, path, body, roles) in Self.requests {
                let caller = role == .host ? TestCaller.host("a", token: token) : .bearing(token)
                let answer = try await relay.send(method, path, body, as: caller)
                #expect((200..<300).contains(answer.status.code) == roles.contains(role), "\(method) \(path): \(answer.status)")
                if !roles.contains(role) {
                    #expect(answer.status == .forbidden)
                    #expect(answer.code == "unauthorized")
                }
                for nobody in [TestCaller.nobody, .bearing("x"), .bearing(token + "x"), .host("a")] {
                    #expect(try await relay.send(method, path, body, as: nobody).status == .unauthorized)
                }
            }
            let server = try await relay.get("/v1/server", as: role == .host ? .host("a", token: token) : .bearing(token))
            #expect(server["role"] as? String == (role == .auditor ? nil : role.rawValue))
        }
    }

    @Test("Health, the interface document and the page need no token")
    func open() async throws {
        try await RelayBench.run { relay async throws -> Void in
            _ = try await relay.token(.viewer)
            for path in ["/healthz", "/readyz", "/openapi.yaml", "/"] { #expect(try await relay.get(path).status == .ok) }
        }
    }

    @Test("A viewer's client headers are ignored; a host without them is a 401, except for debug logs")
    func headers() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = try await relay.token(.viewer)
            var caller = TestCaller.host("%zz", token: viewer, key: "x")
            #expect(try await relay.get("/v1/events", as: caller).status == .ok)
            caller = .bearing(try await relay.token(.host))
            #expect(try await relay.get("/v1/events", as: caller).status == .unauthorized)
            #expect(try await relay.post("/debug/logs", #"{"entries":[]}"#, as: caller).status == .ok)
        }
    }

    @Test("A store with only revoked tokens still requires a token")
    func revoked() async throws {
        let time = TestTime()
        try await RelayBench.run(uptime: { time.uptime }) { relay async throws -> Void in
            #expect(try await relay.get("/v1/events").status == .ok)
            let token = try await relay.token(.viewer)
            let name = try #require(try await relay.storage.tokens.all().first?.name)
            try await RelayTokens(storage: relay.storage.tokens).revoke(name)
            // The relay's cached state expires within a second.
            time.pass(1)
            #expect(try await relay.get("/v1/events").status == .unauthorized)
            #expect(try await relay.get("/v1/events", as: .bearing(token)).status == .unauthorized)
        }
    }

    @Test("A token's name cannot be reused, even after revocation; a token expires after its lifetime")
    func tokens() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let tokens = RelayTokens(storage: relay.storage.tokens)
            let text = try await tokens.create(role: .reader, name: "ci")
            #expect(text.utf8.count > 40)
            try await tokens.revoke("ci")
            await #expect(throws: RelayConfigurationError.self) { try await tokens.create(role: .host, name: "ci") }
            await #expect(throws: RelayConfigurationError.self) { try await tokens.revoke("none") }
            for name in ["", String(repeating: "x", count: 201), "a\nb"] {
                await #expect(throws: RelayConfigurationError.self) { try await tokens.create(role: .host, name: name) }
            }
            let late = RelayTokens(storage: relay.storage.tokens, now: { Date() - 3600 })
            let expired = try await late.create(role: .viewer, name: "old", lifetime: TokenLifetime("59m"))
            #expect(try await relay.get("/v1/events", as: .bearing(expired)).status == .unauthorized)
            let valid = try await late.create(role: .viewer, name: "new", lifetime: TokenLifetime("2h"))
            #expect(try await relay.get("/v1/events", as: .bearing(valid)).status == .ok)
            let list = try await tokens.list()
            #expect(list.count == 3)
            #expect(list.allSatisfy { !$0.contains(text) && !$0.contains(expired) })
            #expect(list.contains { $0.hasPrefix("old") && $0.contains("viewer") && $0.contains("expired 20") })
        }
    }

    @Test(
        "A lifetime is a number and a unit",
        arguments: [
            ("90d", 7_776_000), ("1s", 1), ("2m", 120), ("3h", 10_800), ("", nil), ("d", nil), ("0d", nil), ("-1d", nil),
            ("1w", nil),
            ("1.5h", nil), ("99999999d", nil), ("9223372036854775807s", nil),
        ] as [(String, Double?)])
    func lifetimes(text: String, seconds: Double?) {
        #expect(TokenLifetime(text)?.seconds == seconds)
    }
}
