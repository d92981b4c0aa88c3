import Foundation

/// What an issuer publishes about itself. See OpenID Connect Discovery 1.0, section 3.
struct IssuerMetadata: Decodable, Sendable, Equatable {
    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorization = "authorization_endpoint"
        case token = "token_endpoint"
        case keys = "jwks_uri"
        case endSession = "end_session_endpoint"
    }

    let issuer: String
    let authorization: String
    let token: String
    let keys: String
    let endSession: String?

    /// The address at which an issuer publishes it.
    static func url(of issuer: RelayIssuer) -> String {
        "\(issuer.url.hasSuffix("/") ? String(issuer.url.dropLast()) : issuer.url)/.well-known/openid-configuration"
    }

    /// - Throws: ``IssuerError`` if it cannot be read, is of another issuer, or has a URL that others could read or change.
    init(_ body: Data, of issuer: RelayIssuer) throws(IssuerError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: body)
        } catch {
            throw IssuerError("its configuration cannot be read: \(error)")
        }
        guard self.issuer.utf8.elementsEqual(issuer.url.utf8) else {
            throw IssuerError("it calls itself \(self.issuer.prefix(200)): use this as --oidc-issuer if it is yours")
        }
        guard [authorization, token, keys].allSatisfy(RelayIssuer.isSafe), endSession.map(RelayIssuer.isSafe) ?? true else {
            throw IssuerError("its configuration has an address without https")
        }
    }
}
