import Foundation
import JWTKit
import Testing

@testable import TelemetryRelay

/// The verification of ID tokens.
struct IdentityGateTests {
    private let time = TestTime()

    private func gate(_ issuer: TestIssuer, _ configured: RelayIssuer? = nil) throws -> IdentityGate {
        let configured = try configured ?? issuer.issuer()
        let keys = IssuerKeys(
            issuer: configured, send: { try issuer.answer($0) }, uptime: { [time] in time.uptime }, logger: Bench.logger())
        return IdentityGate(issuer: configured, keys: keys, now: { [time] in time.now }, uptime: { [time] in time.uptime })
    }

    @Test("A token of the issuer has the account's name and role", arguments: [true, false], ["k", nil])
    func valid(isRSA: Bool, id: String?) async throws {
        let key = isRSA ? try TestIssuer.Key.rsa(id) : .ec(id)
        let issuer = TestIssuer(keys: [key])
        let gate = try gate(issuer)
        let identity = try #require(try await gate.identity(withToken: key.sign(issuer.claims(at: time.now))))
        #expect(identity.name == "anna@example.com" && identity.role == .viewer)
        #expect(identity.expires == time.now + 300)
        let text = try await key.sign(issuer.claims(at: time.now, ["aud": .list([.text("relay")]), "groups": .text("support")]))
        #expect(try await gate.identity(withToken: text)?.role == .reader)
    }

    @Test(
        "A token with wrong claims is not valid",
        arguments: [
            ["iss": .text("https://issuer.test/realm/")], ["iss": .text("https://issuer.test")], ["iss": nil],
            ["aud": .text("other")], ["aud": nil], ["aud": .list([])], ["aud": .list([.text("relay"), .text("other")])],
            ["azp": .text("other")], ["azp": .list([.text("relay")])], ["exp": .number(1_764_000_000)], ["exp": nil],
            ["exp": .text("9999999999")], ["nbf": .number(1_764_000_006)], ["nbf": .text("0")], ["sub": nil], ["sub": .text("")],
        ] as [[String: IdentityClaims.Value?]])
    func invalid(changes: [String: IdentityClaims.Value?]) async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        #expect(try await gate(issuer).identity(withToken: key.sign(issuer.claims(at: time.now, changes))) == nil)
    }

    @Test("Several audiences need the relay as the authorized party; a start of validity may be slightly ahead")
    func tolerated() async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        for changes: [String: IdentityClaims.Value?] in [
            ["aud": .list([.text("relay"), .text("other")]), "azp": .text("relay")], ["nbf": .number(1_764_000_005)],
        ] {
            #expect(try await gate(issuer).identity(withToken: key.sign(issuer.claims(at: time.now, changes))) != nil)
        }
    }

    @Test("Only signatures of the issuer's keys count, and only with RS256 and ES256")
    func signatures() async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        let gate = try gate(issuer)
        let claims = issuer.claims(at: time.now)
        let text = try await key.sign(claims)
        let parts = text.split(separator: ".").map(String.init)
        func header(_ json: String) -> String { Data(json.utf8).base64URL }
        let other = try await TestIssuer.Key.ec("k").sign(claims).split(separator: ".").map(String.init)
        let hmac = try await JWTKeyCollection().add(hmac: HMACKey(from: try key.jwk), digestAlgorithm: .sha256, kid: "k")
            .sign(IdentityClaims(values: claims))
        for wrong in [
            "\(parts[0]).\(parts[1]).\(other[2])", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])",
            "\(parts[0]).\(other[1].dropLast())A.\(parts[2])", "\(header(#"{"alg":"none"}"#)).\(parts[1]).",
            "\(header(#"{"alg":"none","kid":"k"}"#)).\(parts[1]).\(parts[2])", hmac,
            "\(header(#"{"alg":"RS256","kid":"k"}"#)).\(parts[1]).\(parts[2])", "..", "a.b.c", "é.\(parts[1]).\(parts[2])",
            "\(text).", String(repeating: "a", count: 20_000) + "..",
        ] {
            #expect(try await gate.identity(withToken: wrong) == nil, "\(wrong.prefix(200))")
        }
        var extended = JWTHeader()
        (extended.kid, extended.crit) = ("k", ["b64"])
        #expect(try await gate.identity(withToken: key.sign(claims, header: extended)) == nil)
        #expect(try await gate.identity(withToken: text) != nil)
    }

    @Test("A token ends when it expires, whether it is known or not")
    func expiry() async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        let gate = try gate(issuer)
        let text = try await key.sign(issuer.claims(at: time.now))
        for seconds in [0, 30, 269] as [TimeInterval] {
            time.pass(seconds)
            #expect(try await gate.identity(withToken: text) != nil)
        }
        time.pass(1)
        #expect(try await gate.identity(withToken: text) == nil)
    }

    @Test("New keys are fetched when a token has one; a removed key ends within eleven minutes")
    func rotation() async throws {
        let (old, new) = (TestIssuer.Key.ec("old"), try TestIssuer.Key.rsa("new"))
        let issuer = TestIssuer(keys: [old])
        let gate = try gate(issuer)
        func token(_ key: TestIssuer.Key) async throws -> String {
            try await key.sign(issuer.claims(at: time.now, ["exp": .number(2_000_000_000)]))
        }
        let (first, second) = (try await token(old), try await token(new))
        #expect(try await gate.identity(withToken: first) != nil)
        issuer.set(keys: [new])
        #expect(try await gate.identity(withToken: second) != nil)
        #expect(try await gate.identity(withToken: first) != nil)
        time.pass(60)
        #expect(try await gate.identity(withToken: first) == nil)
        #expect(try await gate.identity(withToken: second) != nil)
        issuer.set(keys: [old])
        time.pass(600)
        #expect(try await gate.identity(withToken: second) == nil)
    }

    @Test("Keys that were made up cause few requests, and then an error that is not the token's")
    func searches() async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        let gate = try gate(issuer)
        let text = try await TestIssuer.Key.ec("made up").sign(issuer.claims(at: time.now))
        for _ in 1...IssuerKeys.searches.burst { #expect(try await gate.identity(withToken: text) == nil) }
        let count = issuer.requests.count
        await #expect(throws: IssuerError.self) { try await gate.identity(withToken: text) }
        #expect(issuer.requests.count == count)
        #expect(try await gate.identity(withToken: key.sign(issuer.claims(at: time.now))) != nil)
        time.pass(10)
        #expect(try await gate.identity(withToken: text) == nil)
    }

    @Test("Calls that need the same fetch wait for it")
    func together() async throws {
        let (old, new) = (TestIssuer.Key.ec("old"), TestIssuer.Key.ec("new"))
        let issuer = TestIssuer(keys: [old])
        let gate = try gate(issuer)
        #expect(try await gate.identity(withToken: old.sign(issuer.claims(at: time.now))) != nil)
        issuer.set(keys: [new])
        let tokens = try await (1...20).asyncMap { number in
            try await new.sign(issuer.claims(at: time.now, ["sub": .text("\(number)")]))
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for token in tokens { group.addTask { try await gate.identity(withToken: token) != nil } }
            for try await isValid in group { #expect(isValid) }
        }
    }

    @Test("Access tokens and logout tokens of the issuer are not ID tokens")
    func types() async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        for changes: [String: IdentityClaims.Value] in [["typ": .text("Bearer")], ["events": .object([:])]] {
            #expect(try await gate(issuer).identity(withToken: key.sign(issuer.claims(at: time.now, changes))) == nil)
        }
        let idToken = try await key.sign(issuer.claims(at: time.now, ["typ": .text("ID")]))
        #expect(try await gate(issuer).identity(withToken: idToken) != nil)
        var header = JWTHeader()
        (header.kid, header.typ) = ("k", "at+jwt")
        #expect(try await gate(issuer).identity(withToken: key.sign(issuer.claims(at: time.now), header: header)) == nil)
    }

    @Test("A set without a usable key does not replace the keys")
    func empty() async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        let gate = try gate(issuer)
        let text = try await key.sign(issuer.claims(at: time.now, ["exp": .number(2_000_000_000)]))
        #expect(try await gate.identity(withToken: text) != nil)
        issuer.set(keys: [])
        time.pass(700)
        #expect(try await gate.identity(withToken: text) != nil)
    }

    @Test("While the issuer is away its keys are used for a day; without keys the error is the relay's")
    func away() async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(keys: [key])
        issuer.set(isAway: true)
        let gate = try gate(issuer)
        let text = try await key.sign(issuer.claims(at: time.now, ["exp": .number(2_000_000_000)]))
        await #expect(throws: IssuerError.self) { try await gate.identity(withToken: text) }
        issuer.set(isAway: false)
        // Not asked again at once.
        await #expect(throws: IssuerError.self) { try await gate.identity(withToken: text) }
        time.pass(10)
        #expect(try await gate.identity(withToken: text) != nil)
        issuer.set(isAway: true)
        time.pass(86_399)
        #expect(try await gate.identity(withToken: text) != nil)
        time.pass(61)
        await #expect(throws: IssuerError.self) { try await gate.identity(withToken: text) }
    }

    @Test("An issuer with another name than the configured one is refused")
    func otherIssuer() async throws {
        let key = TestIssuer.Key.ec("k")
        let issuer = TestIssuer(name: "https://issuer.test", keys: [key])
        let text = try await key.sign(issuer.claims(at: time.now))
        await #expect(throws: IssuerError.self) { try await gate(issuer).identity(withToken: text) }
    }

    @Test(
        "The name is a printable email that is not unverified, otherwise the subject",
        arguments: [
            ([:], "anna@example.com"), (["email_verified": .flag(true)], "anna@example.com"),
            (["email_verified": .flag(false)], "4711"), (["email_verified": .text("false")], "4711"), (["email": nil], "4711"),
            (["email": .text("a\u{202e}b")], "4711"), (["email": .text("")], "4711"),
            (["email": nil, "sub": .text("\n")], "account"),
        ] as [([String: IdentityClaims.Value?], String)])
    func names(changes: [String: IdentityClaims.Value?], name: String) {
        #expect(IdentityClaims(values: TestIssuer(keys: []).claims(changes)).name == name)
    }

    @Test(
        "The first role of which the claim has a value is the account's",
        arguments: [
            ("groups", ["groups": .list([.text("support"), .text("admins")])], .viewer),
            ("groups", ["groups": .list([.text("support"), .number(1)])], .reader),
            ("groups", ["groups": .text("ops")], .auditor),
            ("groups", ["groups": .text("admins,support")], nil), ("groups", ["groups": nil], nil),
            ("groups", ["groups": .list([.text("Admins")])], nil),
            ("realm_access.roles", ["realm_access": .object(["roles": .list([.text("admins")])])], .viewer),
            ("realm_access.roles", ["realm_access": .list([])], nil),
            ("email", ["email": .text("admins"), "email_verified": .flag(true)], .viewer),
            ("email", ["email": .text("admins")], nil),
            ("https://a.b/roles", ["https://a.b/roles": .list([.text("support")])], .reader),
        ] as [(String, [String: IdentityClaims.Value?], RelayRole?)])
    func roles(claim: String, changes: [String: IdentityClaims.Value?], role: RelayRole?) throws {
        let test = TestIssuer(keys: [])
        let issuer = try test.issuer(claim: claim, roles: ["reader=support", "viewer=admins", "auditor=ops"])
        #expect(IdentityClaims(values: test.claims(changes)).role(by: issuer) == role)
    }

    @Test("The options name an issuer, a client and roles of people")
    func options() throws {
        var options = RelayOptions()
        (options.oidcIssuer, options.oidcClientID) = ("https://issuer.test/realm", "relay")
        options.oidcRole = ["viewer=admins", "reader=a=b"]
        options.oidcClientSecretFile = "secret"
        let issuer = try #require(try options.configuration(environment: [:], readFile: { "\($0)!\n" }).issuer)
        #expect(issuer.roleClaim == "groups" && issuer.clientSecret == "secret!")
        var configuration = RelayConfiguration()
        configuration.issuer = issuer
        for shown in ["\(configuration)", String(reflecting: configuration), "\(issuer)"] { #expect(!shown.contains("secret!")) }
        #expect(throws: RelayConfigurationError.self) { try options.configuration(environment: [:], readFile: { _ in "\n" }) }
        #expect(issuer.rules.map { "\($0.role.rawValue) \($0.value)" } == ["viewer admins", "reader a=b"])
        let environment = [
            "TELEMETRY_RELAY_OIDC_ISSUER": "http://127.0.0.1:1", "TELEMETRY_RELAY_OIDC_CLIENT_ID": "c",
            "TELEMETRY_RELAY_OIDC_ROLE": "viewer=a;reader=b", "TELEMETRY_RELAY_OIDC_ROLE_CLAIM": "roles",
        ]
        let other = try #require(try RelayOptions().configuration(environment: environment).issuer)
        #expect(other.rules.count == 2 && other.roleClaim == "roles")
        for change: (inout RelayOptions) -> Void in [
            { $0.oidcIssuer = "http://issuer.test" }, { $0.oidcIssuer = "https://u:p@issuer.test" }, { $0.oidcIssuer = "issuer" },
            { $0.oidcIssuer = "https://issuer.test?a" }, { $0.oidcIssuer = nil }, { $0.oidcClientID = nil },
            { $0.oidcRole = [] }, { $0.oidcRole = ["host=a"] }, { $0.oidcRole = ["viewer"] }, { $0.oidcRole = ["viewer="] },
        ] {
            var wrong = options
            change(&wrong)
            #expect(throws: RelayConfigurationError.self) { try wrong.configuration(environment: [:], readFile: { $0 }) }
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
