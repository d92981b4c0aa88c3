import HTTPTypes
import Hummingbird
import TelemetryTransport

/// Authenticates callers and checks that they may use a route.
struct RelayAccess: Sendable {
    let gate: TokenGate
    let sightings: ClientSightings
    let keyring: ClientKeyring
    let newClients: RateLimiter<RelayRateSource>
    let clients: RateLimiter<RelayRateSource>
    let tokens: RateLimiter<RelayRateSource>
    let debugBytes: RateLimiter<RelayRateSource>
    let isBehindProxy: Bool

    var limiters: [RelayRateSource.Kind: RateLimiter<RelayRateSource>] {
        [.newClients: newClients, .client: clients, .token: tokens, .debugLogs: debugBytes]
    }

    /// The caller of a request.
    /// - Parameters:
    ///   - allowsScope: whether a token with a scope may make the request.
    ///   - provesClient: whether a host must send its client headers.
    /// - Throws: 401, 403, 421 or 429.
    func caller(
        of request: Request, _ context: RelayRequestContext, roles: Set<RelayRole>, allowsScope: Bool, provesClient: Bool = true
    ) async throws -> RelayCaller {
        var caller = try await bearer(of: request, context)
        if let wait = tokens.take(from: RelayRateSource(caller.credential)) {
            throw Problem.rateLimited("Too many requests with this token.", retryAfter: wait)
        }
        if provesClient {
            caller = try await provingClients(caller, request, context)
        }
        guard roles.contains(caller.role) else {
            throw Problem.forbidden("A token with the role \(caller.role.rawValue) may not do this.")
        }
        guard allowsScope || caller.scope == nil else { throw Problem.forbidden("A token with a scope may not do this.") }
        return caller
    }

    private func bearer(of request: Request, _ context: RelayRequestContext) async throws -> RelayCaller {
        let address = address(of: request, context)
        guard try await gate.hasTokens() else {
            guard request.head.authority.map(LocalName.isLocal) ?? true else {
                throw Problem(
                    .misdirectedRequest, .invalidArgument,
                    "Without tokens, this relay accepts only requests to localhost or a loopback address.")
            }
            return RelayCaller(credential: .none, tokenName: nil, role: .viewer, address: address)
        }
        guard let text = TokenText.bearerToken(in: request.headers[.authorization]),
            let known = try await gate.caller(withToken: text)
        else { throw Problem.unauthorized("A valid token is required.") }
        switch known {
        case .valid(var caller):
            caller.address = address
            context.trace.actor = caller.actor
            return caller
        case .ended(var actor):
            actor.address = address
            context.trace.actor = actor
            throw Problem.unauthorized("A valid token is required.")
        case .withoutRole(var actor):
            actor.address = address
            context.trace.actor = actor
            throw Problem.forbidden("This account has no role on this relay.")
        }
    }

    /// Authenticates a host by its client headers. Without tokens, a caller that sends these headers is a host.
    private func provingClients(
        _ caller: RelayCaller, _ request: Request, _ context: RelayRequestContext
    ) async throws -> RelayCaller {
        guard caller.role == .host || caller.credential == .none else { return caller }
        guard let keys = try ClientHeaders.keys(in: request.headers) else {
            guard caller.role != .host else {
                throw Problem.unauthorized("A host must send Telemetry-Client and Telemetry-Client-Key.")
            }
            return caller
        }
        try await keyring.admit(keys, from: source(of: caller))
        sightings.note(keys.map(\.clientId))
        for key in keys {
            if let wait = clients.take(from: RelayRateSource(.client, key.clientId)) {
                throw Problem.rateLimited("Too many requests from this client.", retryAfter: wait)
            }
        }
        return RelayCaller(
            credential: caller.credential, tokenName: caller.tokenName, role: .host, clients: keys.map(\.clientId),
            address: caller.address)
    }

    /// Charges a host for debug logs, which need no client's key.
    /// - Throws: a 429 if it has sent too many.
    func admitDebugLogs(bytes: Int, of caller: RelayCaller) throws {
        guard caller.role == .host else { return }
        let source = RelayRateSource(.debugLogs, source(of: caller))
        guard let wait = debugBytes.take(bytes, from: source) else { return }
        throw Problem.rateLimited("Too many debug logs from this address.", retryAfter: wait)
    }

    /// What anonymous use is counted against: the token and the address.
    private func source(of caller: RelayCaller) -> String {
        "\(caller.tokenName ?? "") \(SourceNetwork.name(of: caller.address ?? ""))"
    }

    /// The address of the request; behind a proxy, the one that the proxy reports, if it is an address.
    func address(of request: Request, _ context: RelayRequestContext) -> String? {
        let name = isBehindProxy ? HTTPField.Name("X-Forwarded-For") : nil
        let forwarded = name.flatMap { request.headers[$0] }?.split(separator: ",").last
        return forwarded.flatMap(SourceNetwork.address) ?? context.channel.remoteAddress?.ipAddress
    }
}

/// Lets in who may read or write debug logs, or read the metrics.
struct AccessMiddleware: RouterMiddleware {
    let access: RelayAccess
    /// Who may read, and who may write.
    let readers: Set<RelayRole>
    let writers: Set<RelayRole>

    func handle(
        _ request: Request, context: RelayRequestContext, next: (Request, RelayRequestContext) async throws -> Response
    ) async throws -> Response {
        let isRead = request.method == .get || request.method == .head
        context.trace.caller = try await access.caller(
            of: request, context, roles: isRead ? readers : writers, allowsScope: false, provesClient: false)
        return try await next(request, context)
    }
}
