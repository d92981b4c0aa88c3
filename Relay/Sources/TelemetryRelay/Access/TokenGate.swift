import Foundation
import Synchronization

/// Looks up tokens. A result is cached for a fraction of a second.
final class TokenGate: Sendable {
    private struct Stored {
        let token: RelayToken
        let time: Duration
    }

    private struct State {
        var tokens: [Data: Stored] = [:]
        /// When the store last had no token.
        var openSince: Duration?
        var hasTokens = false
    }

    /// Whom a token identifies.
    enum Known: Sendable, Equatable {
        case valid(RelayCaller)
        /// One that was revoked or has expired.
        case ended(RelayActor)
        /// An account to which the issuer's roles give none of the relay's.
        case withoutRole(RelayActor)
    }

    private let storage: any RelayTokenStorage
    private let configured: BearerToken?
    private let identities: IdentityGate?
    private let now: @Sendable () -> Date
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())
    private static let cacheDuration = Duration.milliseconds(200)
    private static let maximumKnown = 10_000

    /// - Parameters:
    ///   - configured: the configured token, which has the role viewer.
    ///   - identities: verifies ID tokens; nil without an issuer.
    init(
        storage: any RelayTokenStorage, configured: BearerToken?, identities: IdentityGate? = nil,
        now: @escaping @Sendable () -> Date,
        uptime: @escaping @Sendable () -> Duration
    ) {
        self.storage = storage
        self.configured = configured
        self.identities = identities
        self.now = now
        self.uptime = uptime
    }

    /// Whether a token was ever created, or there is an issuer. From then on, requests without a token are refused.
    func hasTokens() async throws -> Bool {
        if configured != nil || identities != nil { return true }
        let time = uptime()
        let known = state.withLock { state in
            state.hasTokens ? true : state.openSince.flatMap { time - $0 < Self.cacheDuration ? false : nil }
        }
        if let known { return known }
        let hasTokens = try await storage.hasTokens()
        state.withLock { state in
            state.hasTokens = state.hasTokens || hasTokens
            state.openSince = hasTokens ? nil : time
        }
        return hasTokens
    }

    /// - Returns: nil if the token is unknown.
    /// - Throws: a 503 if it may be an ID token, and the issuer's keys cannot be fetched.
    func caller(withToken text: String) async throws -> Known? {
        if let configured, configured.matches(authorization: "Bearer \(text)") {
            return .valid(RelayCaller(credential: .configured, tokenName: "configuration", role: .viewer))
        }
        if let identities, IdentityGate.isToken(text) { return try await caller(withIDToken: text, identities) }
        let hash = TokenText.hash(of: text)
        guard let token = try await token(hash: hash) else { return nil }
        guard token.isValid(at: now()) else { return .ended(RelayActor(token: token.name, role: token.role)) }
        storage.noteUse(ofTokenNamed: token.name, at: now())
        return .valid(RelayCaller(credential: .token(hash), tokenName: token.name, role: token.role, scope: token.scope))
    }

    private func caller(withIDToken text: String, _ identities: IdentityGate) async throws -> Known? {
        do {
            guard let identity = try await identities.identity(withToken: text) else { return nil }
            guard let role = identity.role else { return .withoutRole(RelayActor(token: identity.name)) }
            return .valid(
                RelayCaller(
                    credential: .identity(subject: identity.subject, expires: identity.expires), tokenName: identity.name,
                    role: role))
        } catch is IssuerError {
            throw Problem.unavailable("The issuer of ID tokens cannot be reached.")
        }
    }

    /// Whether a credential is still valid.
    func isValid(_ credential: RelayCaller.Credential) async throws -> Bool {
        switch credential {
        case .none: try await !hasTokens()
        case .configured: true
        case .token(let hash): try await token(hash: hash)?.isValid(at: now()) ?? false
        case .identity(_, let expires): expires > now()
        }
    }

    /// The token with this hash, even if revoked or expired.
    private func token(hash: Data) async throws -> RelayToken? {
        let time = uptime()
        let known = state.withLock { $0.tokens[hash].flatMap { time - $0.time < Self.cacheDuration ? $0.token : nil } }
        if let known { return known }
        guard let token = try await storage.token(hash: hash) else { return nil }
        state.withLock { state in
            if state.tokens.count >= Self.maximumKnown { state.tokens.removeAll() }
            state.tokens[hash] = Stored(token: token, time: time)
        }
        return token
    }
}
