import Foundation
import HTTPTypes
import Hummingbird
import Logging
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// `/v1/sign-in`: how the page signs in with OpenID Connect. It needs no token.
///
/// The page gets a code from the issuer (OpenID Connect Core 1.0, 3.1, with PKCE: RFC 7636). The relay exchanges it, because the page may
/// send requests to its own origin only, and a client may have a secret.
struct SignInRoutes: Sendable {
    /// The maximum number of exchanges with the issuer at once.
    static let maximumExchanges = 8
    private static let bodyLimit = 16 << 10

    /// Nil without an issuer.
    let identities: IdentityGate?
    let send: IssuerRequest.Send
    let access: RelayAccess
    let audit: AuditRecorder
    let logger: Logger
    /// Of one address; every attempt is a request to the issuer.
    let attempts: RateLimiter<String>
    let exchanges: Turns

    /// The maximum number of attempts a minute.
    static let attemptRate = 60

    func add(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        table.add(.get, "/v1/sign-in")
        router.get("v1/sign-in") { _, _ -> Response in try await describe() }
        table.add(.post, "/v1/sign-in")
        router.post("v1/sign-in") { request, context -> Response in try await signIn(request, context) }
    }

    private func describe() async throws -> Response {
        guard let identities else { return .object { _ in } }
        let metadata = try await metadata(identities)
        return .object { writer in
            writer.member("issuer", identities.issuer.url)
            writer.member("clientId", identities.issuer.clientID)
            writer.member("authorizationEndpoint", metadata.authorization)
            if let endSession = metadata.endSession { writer.member("endSessionEndpoint", endSession) }
            writer.member("scope", Self.scope)
        }
    }

    private static let scope = "openid email profile"

    private func metadata(_ identities: IdentityGate) async throws -> IssuerMetadata {
        do {
            return try await identities.keys.metadata()
        } catch is IssuerError {
            throw Self.unreachable
        }
    }

    private func signIn(_ request: Request, _ context: RelayRequestContext) async throws -> Response {
        guard let identities else { throw Problem.notFound("This relay has no sign-in.") }
        let address = access.address(of: request, context)
        if let wait = attempts.take(from: SourceNetwork.name(of: address ?? "")) {
            throw Problem.rateLimited("Too many sign-ins from this address.", retryAfter: wait)
        }
        let grant = try SignInGrant(await request.jsonBody(limit: Self.bodyLimit))
        let tokens = try await exchanges.run { try await exchange(grant, identities) }
        guard let identity = try await identity(tokens.idToken, identities), grant.nonce.map({ $0 == identity.nonce }) ?? true
        else {
            throw Problem.unauthorized("The issuer's token is not valid for this sign-in.")
        }
        let actor = RelayActor(token: identity.name, role: identity.role, address: address)
        context.trace.actor = actor
        guard identity.role != nil else { throw Problem.forbidden("This account has no role on this relay.") }
        if grant.isFirst { try await audit.recordSignIn(of: actor) }
        return .object { writer in
            writer.member("token", tokens.idToken)
            writer.member("expires", TimestampText.string(from: identity.expires) ?? "")
            writer.member("name", identity.name)
            if let refresh = tokens.refreshToken { writer.member("refreshToken", refresh) }
        }
    }

    private func identity(_ token: String, _ identities: IdentityGate) async throws -> IdentityGate.Identity? {
        do {
            return try await identities.identity(withToken: token)
        } catch is IssuerError {
            throw Self.unreachable
        }
    }

    /// - Throws: a 401 if the issuer does not accept the grant, a 503 if it does not answer.
    private func exchange(_ grant: SignInGrant, _ identities: IdentityGate) async throws -> IssuerTokens {
        var form = grant.form
        form["client_id"] = identities.issuer.clientID
        form["client_secret"] = identities.issuer.clientSecret
        let answer: IssuerRequest.Answer
        do {
            answer = try await send(IssuerRequest(url: try await metadata(identities).token, form: form))
        } catch let error as Problem {
            throw error
        } catch {
            try Task.checkCancellation()
            throw Self.unreachable
        }
        guard answer.status == 200 else {
            let code = (try? JSONDecoder().decode(IssuerRefusal.self, from: answer.body))?.error
            if code == "invalid_grant" { throw Problem.unauthorized("The issuer did not accept the sign-in. Sign in again.") }
            logger.error(
                "the issuer does not exchange codes",
                metadata: ["status": "\(answer.status)", "error": "\(code.map { String($0.prefix(200)) } ?? "-")"])
            throw Problem.unavailable("The issuer does not exchange codes. The relay's log has the reason.")
        }
        // A refresh may have none (OpenID Connect Core 1.0, 12.2). Then there is nothing to go on with.
        guard let tokens = try? JSONDecoder().decode(IssuerTokens.self, from: answer.body) else {
            throw Problem.unauthorized("The issuer sent no ID token. Sign in again.")
        }
        return tokens
    }

    private static var unreachable: Problem { .unavailable("The issuer cannot be reached.") }
}

/// Why a token endpoint refuses (RFC 6749, 5.2).
private struct IssuerRefusal: Decodable {
    let error: String
}

/// What a token endpoint answers.
private struct IssuerTokens: Decodable {
    private enum CodingKeys: String, CodingKey {
        case idToken = "id_token"
        case refreshToken = "refresh_token"
    }

    let idToken: String
    let refreshToken: String?
}
