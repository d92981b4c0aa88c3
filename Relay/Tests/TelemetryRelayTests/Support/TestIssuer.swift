import CryptoExtras
import Foundation
import JWTKit
import Synchronization

@testable import TelemetryRelay

/// An issuer of OpenID Connect.
final class TestIssuer: Sendable {
    /// A key of the issuer.
    struct Key: Sendable {
        private enum Kind: Sendable {
            case ec(ES256PrivateKey)
            case rsa(JWTKit.Insecure.RSA.PrivateKey)
        }

        let id: String?
        private let kind: Kind

        static func ec(_ id: String?) -> Key { Key(id: id, kind: .ec(ES256PrivateKey())) }

        static func rsa(_ id: String?) throws -> Key {
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            return Key(id: id, kind: .rsa(try JWTKit.Insecure.RSA.PrivateKey(backing: key)))
        }

        /// The public key as a JWK.
        var jwk: String {
            get throws {
                let id = id.map { #","kid":"\#($0)""# } ?? ""
                switch kind {
                case .ec(let key):
                    let (x, y) = (key.parameters?.x ?? "", key.parameters?.y ?? "")
                    return #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","use":"sig"\#(id)}"#
                case .rsa(let key):
                    let (n, e) = try key.publicKey.getKeyPrimitives()
                    return #"{"kty":"RSA","n":"\#(n.base64URL)","e":"\#(e.base64URL)"\#(id)}"#
                }
            }
        }

        func sign(_ claims: [String: IdentityClaims.Value], header: JWTHeader? = nil) async throws -> String {
            var own = JWTHeader()
            own.kid = id
            let keys = JWTKeyCollection()
            switch kind {
            case .ec(let key): await keys.add(ecdsa: key)
            case .rsa(let key): await keys.add(rsa: key, digestAlgorithm: .sha256)
            }
            return try await keys.sign(IdentityClaims(values: claims), header: header ?? own)
        }
    }

    private struct State {
        var keys: [Key] = []
        /// What the token endpoint answers.
        var answer = IssuerRequest.Answer(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
        var isAway = false
        var requests: [IssuerRequest] = []
    }

    let url: String
    /// How it calls itself.
    let name: String
    private let state = Mutex(State())

    init(url: String = "https://issuer.test/realm", name: String? = nil, keys: [Key]) {
        (self.url, self.name) = (url, name ?? url)
        state.withLock { $0.keys = keys }
    }

    func issuer(
        secret: String? = nil, claim: String = "groups", roles: [String] = ["viewer=admins", "reader=support"]
    ) throws -> RelayIssuer {
        try RelayIssuer(
            url: url, clientID: "relay", clientSecret: secret, roleClaim: claim, rules: roles.map(RelayIssuer.RoleRule.init))
    }

    var requests: [IssuerRequest] { state.withLock(\.requests) }
    func set(keys: [Key]) { state.withLock { $0.keys = keys } }
    func set(answer: String, status: Int = 200) {
        state.withLock { $0.answer = IssuerRequest.Answer(status: status, body: Data(answer.utf8)) }
    }
    func set(isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// The claims of an account with the role viewer, at a time.
    func claims(at now: Date = Date(), _ changes: [String: IdentityClaims.Value?] = [:]) -> [String: IdentityClaims.Value] {
        var claims: [String: IdentityClaims.Value] = [
            "iss": .text(url), "aud": .text("relay"), "sub": .text("4711"), "email": .text("anna@example.com"),
            "exp": .number((now.timeIntervalSince1970 + 300).rounded()), "groups": .list([.text("all"), .text("admins")]),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    /// Answers a request.
    func answer(_ request: IssuerRequest) throws -> IssuerRequest.Answer {
        let (isAway, keys, answer) = state.withLock { state in
            state.requests.append(request)
            return (state.isAway, state.keys, state.answer)
        }
        if isAway { throw POSIXError(.ECONNREFUSED) }
        switch request.url.dropFirst(url.count) {
        case "/.well-known/openid-configuration":
            let body = """
                {"issuer":"\(name)","authorization_endpoint":"\(url)/authorize","token_endpoint":"\(url)/token",\
                "jwks_uri":"\(url)/keys","end_session_endpoint":"\(url)/logout"}
                """
            return .init(status: 200, body: Data(body.utf8))
        case "/keys":
            return .init(status: 200, body: Data(#"{"keys":[\#(try keys.map { try $0.jwk }.joined(separator: ","))]}"#.utf8))
        case "/token": return answer
        default: return .init(status: 404, body: Data())
        }
    }
}

extension Data {
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
