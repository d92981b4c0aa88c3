import Foundation
import JWTKit
import Synchronization
@_spi(Tooling) import TelemetryModels

/// Verifies ID tokens of an issuer. A valid one is verified again after a minute.
final class IdentityGate: Sendable {
    /// The account of a valid token.
    struct Identity: Sendable {
        let name: String
        /// Nil if the issuer's roles give none.
        let role: RelayRole?
        /// Identifies the account, whatever token it has.
        let subject: Data
        let expires: Date
        let nonce: String?
    }

    private struct Known {
        let identity: Identity
        let time: Duration
    }

    /// The header of a token (RFC 7515, 4.1).
    private struct Header: Decodable {
        let alg: String
        let kid: String?
        /// The type; ID tokens have none or "JWT", access tokens of RFC 9068 "at+jwt".
        let typ: String?
        /// Extensions that a reader must understand.
        let crit: [String]?
    }

    private static let maximumToken = 16 << 10
    private static let cacheDuration = Duration.seconds(60)
    private static let maximumKnown = 10_000

    let issuer: RelayIssuer
    let keys: IssuerKeys
    private let now: @Sendable () -> Date
    private let uptime: @Sendable () -> Duration
    private let known = Mutex<[Data: Known]>([:])

    init(
        issuer: RelayIssuer, keys: IssuerKeys, now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration
    ) {
        (self.issuer, self.keys, self.now, self.uptime) = (issuer, keys, now, uptime)
    }

    /// Whether a text has the form of an ID token: three parts with dots between them.
    static func isToken(_ text: String) -> Bool {
        text.utf8.count <= maximumToken && text.utf8.count { $0 == UInt8(ascii: ".") } == 2
    }

    /// - Returns: nil for a token that is not valid.
    /// - Throws: ``IssuerError`` if the issuer's keys cannot be fetched.
    func identity(withToken text: String) async throws -> Identity? {
        let hash = TokenText.hash(of: text)
        let time = uptime()
        if let known = known.withLock({ $0[hash] }), time - known.time < Self.cacheDuration {
            return known.identity.expires > now() ? known.identity : nil
        }
        guard Self.isToken(text), let claims = try await claims(of: text), claims.fault(for: issuer, at: now()) == nil,
            let expires = claims.expires, let subject = claims.text("sub")
        else { return nil }
        let identity = Identity(
            name: claims.name, role: claims.role(by: issuer),
            subject: Data(SHA256.digest(of: Array("\(issuer.url) \(subject)".utf8))), expires: expires,
            nonce: claims.text("nonce"))
        known.withLock { known in
            if known.count >= Self.maximumKnown { known.removeAll() }
            known[hash] = Known(identity: identity, time: time)
        }
        return identity
    }

    /// The claims of a token that the issuer signed; nil for another one.
    private func claims(of text: String) async throws -> IdentityClaims? {
        let first = text.prefix { $0 != "." }
        guard let json = Self.decoded(first), let header = try? JSONDecoder().decode(Header.self, from: json),
            header.crit == nil, header.typ.map({ $0.lowercased() == "jwt" }) ?? true, ["RS256", "ES256"].contains(header.alg),
            let key = try await keys.key(header.kid, algorithm: header.alg)
        else { return nil }
        return try? await key.verifier.verify(text, as: IdentityClaims.self)
    }

    private static func decoded(_ text: Substring) -> Data? {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4))
    }
}
