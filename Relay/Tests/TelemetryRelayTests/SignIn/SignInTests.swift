import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization
@_spi(Tooling) import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

/// ID tokens as credentials of requests, and `/v1/sign-in`.
struct SignInTests {
    private struct Bench: Sendable {
        let relay: RelayBench
        let issuer: TestIssuer
        let key: TestIssuer.Key

        func token(_ changes: [String: IdentityClaims.Value?] = [:]) async throws -> String {
            try await key.sign(issuer.claims(changes))
        }

        func caller(_ changes: [String: IdentityClaims.Value?] = [:]) async throws -> TestCaller {
            .bearing(try await token(changes))
        }

        func entries() async throws -> [RelayAuditEntry] {
            try await relay.storage.audit.page(matching: .init(), after: nil, limit: 100, order: .ascending).entries.map(\.entry)
        }
    }

    private static let grant = #"{"code":"c 1","verifier":"v","redirectURI":"https://relay.test/","nonce":"n"}"#

    private static func run(
        secret: String? = nil, uptime: @escaping @Sendable () -> Duration = ArrivalClock.continuous(),
        _ test: @escaping @Sendable (Bench) async throws -> Void
    ) async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        var configuration = RelayConfiguration()
        configuration.issuer = try issuer.issuer(secret: secret, roles: ["viewer=admins", "reader=support", "auditor=audit"])
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let parts = RelayParts(
            configuration: configuration, storage: storage, clock: ContinuousClock(), logger: TelemetryRelayTests.Bench.logger(),
            uptime: uptime, sendToIssuer: { try issuer.answer($0) })
        try await Application(router: parts.router()).testInTurn(.router) { client in
            try await test(Bench(relay: RelayBench(client: client, storage: storage), issuer: issuer, key: key))
        }
        try await storage.close()
    }

    @Test("An ID token gives its account's role; without one the answer is 403, for others 401")
    func roles() async throws {
        try await Self.run { bench async throws -> Void in
            let relay = bench.relay
            #expect(try await relay.get("/v1/server").status == .unauthorized)
            #expect(try await relay.get("/v1/server", as: bench.caller())["role"] as? String == "viewer")
            let reader = try await bench.caller(["groups": .text("support")])
            #expect(try await relay.get("/v1/server", as: reader)["role"] as? String == "reader")
            #expect(
                try await relay.post("/v1/records", WireSample.save("insert", WireSample.record("r")), as: reader).status
                    == .forbidden)
            let auditor = try await bench.caller(["groups": .list([.text("audit")])])
            #expect(try await relay.get("/v1/audit", as: auditor).status == .ok)
            #expect(try await relay.get("/v1/events", as: auditor).status == .forbidden)
            let nobody = try await bench.caller(["groups": .list([]), "email": .text("bob@example.com")])
            #expect(try await relay.get("/v1/events", as: nobody).status == .forbidden)
            let expired = try await bench.caller(["exp": .number(1)])
            #expect(try await relay.get("/v1/events", as: expired).status == .unauthorized)
            let refused = try await bench.entries().last { $0.action == .refuseRequest }
            #expect(refused?.actor.token == "bob@example.com" && refused?.actor.role == nil && refused?.status == 403)
        }
    }

    @Test("The account's name is the issuer of commands, approves clients, and is in the audit")
    func names() async throws {
        try await Self.run { bench async throws -> Void in
            let command = WireSample.record("c", type: "TelemetryCommand", more: #","issuer":"someone""#)
            let saved = try await bench.relay.post("/v1/records", WireSample.save("insert", command), as: bench.caller())
            #expect((saved.records.first?["fields"] as? [String: Any])?["issuer"] as? String == "anna@example.com")
            #expect(try await bench.entries().map(\.actor.token) == ["anna@example.com"])
        }
    }

    @Test("Tokens of the relay are valid beside those of the issuer")
    func tokens() async throws {
        try await Self.run { bench async throws -> Void in
            let token = try await bench.relay.token(.reader)
            #expect(try await bench.relay.get("/v1/server", as: .bearing(token))["role"] as? String == "reader")
        }
    }

    @Test("While the issuer is away and no key is known, the answer is 503")
    func away() async throws {
        try await Self.run { bench async throws -> Void in
            bench.issuer.set(isAway: true)
            #expect(try await bench.relay.get("/v1/server", as: bench.caller()).status == .serviceUnavailable)
            #expect(try await bench.relay.get("/v1/sign-in").status == .serviceUnavailable)
            let token = try await bench.relay.token(.reader)
            #expect(try await bench.relay.get("/v1/server", as: .bearing(token)).status == .ok)
        }
    }

    @Test("A code is exchanged with its verifier and the client's secret; the audit has the sign-in", arguments: [nil, "s&1"])
    func code(secret: String?) async throws {
        try await Self.run(secret: secret) { bench async throws -> Void in
            let description = try await bench.relay.get("/v1/sign-in")
            #expect(description["clientId"] as? String == "relay")
            #expect(description["authorizationEndpoint"] as? String == "https://issuer.test/realm/authorize")
            #expect(description["endSessionEndpoint"] as? String == "https://issuer.test/realm/logout")
            #expect(description["issuer"] as? String == "https://issuer.test/realm")
            let token = try await bench.token(["nonce": .text("n")])
            bench.issuer.set(answer: #"{"id_token":"\#(token)","refresh_token":"r","access_token":"x"}"#)
            let answer = try await bench.relay.post("/v1/sign-in", Self.grant)
            #expect(answer["token"] as? String == token && answer["refreshToken"] as? String == "r")
            #expect(answer["name"] as? String == "anna@example.com" && answer["expires"] as? String != nil)
            let request = try #require(bench.issuer.requests.last { $0.form != nil })
            #expect(request.url == "https://issuer.test/realm/token")
            let own = secret.map { _ in "&client_secret=s%261" } ?? ""
            #expect(
                request.formText
                    == "client_id=relay\(own)&code=c%201&code_verifier=v&grant_type=authorization_code"
                    + "&redirect_uri=https%3A%2F%2Frelay.test%2F")
            #expect(try await bench.relay.get("/v1/server", as: .bearing(token)).status == .ok)
            let renewed = try await bench.relay.post("/v1/sign-in", #"{"refreshToken":"r"}"#)
            #expect(renewed["token"] as? String == token)
            let form = try #require(bench.issuer.requests.last?.form)
            #expect(form["grant_type"] == "refresh_token" && form["refresh_token"] == "r" && form["code"] == nil)
            let entries = try await bench.entries()
            #expect(entries.map(\.action) == [.signIn])
            #expect(entries.first?.actor.token == "anna@example.com" && entries.first?.actor.role == .viewer)
        }
    }

    @Test("What the issuer refuses, or a token for another sign-in, is a 401; an account without a role a 403")
    func refused() async throws {
        try await Self.run { bench async throws -> Void in
            func post(_ body: String = Self.grant) async throws -> HTTPResponse.Status {
                try await bench.relay.post("/v1/sign-in", body).status
            }
            #expect(try await post() == .unauthorized)
            for (claims, status) in [
                (["nonce": .text("other")], .unauthorized), ([:], .unauthorized),
                (["nonce": .text("n"), "aud": .text("other")], .unauthorized),
                (["nonce": .text("n"), "groups": nil], .forbidden),
            ] as [([String: IdentityClaims.Value?], HTTPResponse.Status)] {
                bench.issuer.set(answer: #"{"id_token":"\#(try await bench.token(claims))"}"#)
                #expect(try await post() == status, "\(claims)")
            }
            bench.issuer.set(answer: "{}")
            #expect(try await post() == .unauthorized)
            for (answer, status) in [("{}", 500), (#"{"error":"invalid_client"}"#, 401), ("", 429), ("", 302)] {
                bench.issuer.set(answer: answer, status: status)
                #expect(try await post() == .serviceUnavailable)
            }
            for body in ["{}", #"{"code":"c","verifier":"v","redirectURI":"u"}"#, #"{"code":1}"#, "[]"] {
                #expect(try await post(body) == .badRequest, "\(body)")
            }
            #expect(try await bench.entries().map(\.action) == [.refuseRequest])
        }
    }

    @Test("An address has a number of sign-ins a minute")
    func rate() async throws {
        let time = TestTime()
        try await Self.run(uptime: { time.uptime }) { bench async throws -> Void in
            for _ in 1...SignInRoutes.attemptRate {
                #expect(try await bench.relay.post("/v1/sign-in", Self.grant).status == .unauthorized)
            }
            let count = bench.issuer.requests.count
            #expect(try await bench.relay.post("/v1/sign-in", Self.grant).status == .tooManyRequests)
            #expect(bench.issuer.requests.count == count)
            time.pass(1)
            #expect(try await bench.relay.post("/v1/sign-in", Self.grant).status == .unauthorized)
        }
    }

    @Test("Without an issuer there is no sign-in")
    func none() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await relay.get("/v1/sign-in")
            #expect(answer.status == .ok && answer.text == "{}")
            #expect(try await relay.post("/v1/sign-in", Self.grant).status == .notFound)
        }
    }

    @Test("A running relay asks the issuer over HTTP and follows no redirect")
    func overHTTP() async throws {
        let key = TestIssuer.Key.ec("k")
        let place = Mutex<TestIssuer?>(nil)
        let server = try LoopbackServer { request in
            guard let issuer = place.withLock(\.self) else { return .answers(503, headers: [:], body: "") }
            let form = request.body.isEmpty ? nil : ["": ""]
            guard let answer = try? issuer.answer(IssuerRequest(url: issuer.url + request.target.dropFirst(6), form: form)) else {
                return .answers(302, headers: ["Location": "\(issuer.url)/keys"], body: "")
            }
            return .answers(
                answer.status, headers: ["Content-Type": "application/json"], body: String(decoding: answer.body, as: UTF8.self))
        }
        defer { server.stop() }
        let issuer = TestIssuer(url: "\(server.baseURL.absoluteString)/realm", keys: [key])
        place.withLock { $0 = issuer }
        var configuration = RelayConfiguration()
        configuration.issuer = try issuer.issuer()
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            let token = try await key.sign(issuer.claims(["nonce": .text("n")]))
            issuer.set(answer: #"{"id_token":"\#(token)"}"#)
            #expect(try await relay.post("/v1/sign-in", Self.grant)["token"] as? String == token)
            #expect(try await relay.get("/v1/server", as: .bearing(token)).status == .ok)
            issuer.set(isAway: true)
            #expect(try await relay.post("/v1/sign-in", Self.grant).status == .serviceUnavailable)
        }
    }
}
