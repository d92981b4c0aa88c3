import Foundation
import Synchronization

/// Looks up tokens. A result is cached for a fraction of a second.
final class TokenGate: Sendable {
    private struct Known {
        let token: RelayToken
        let time: Duration
    }

    private struct State {
        var tokens: [Data: Known] = [:]
        /// When the store last had no token.
        var openSince: Duration?
        var hasTokens = false
    }

    private let storage: any RelayTokenStorage
    private let configured: BearerToken?
    private let now: @Sendable () -> Date
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())
    private static let cacheDuration = Duration.milliseconds(200)
    private static let maximumKnown = 10_000

    /// - Parameter configured: the configured token, which has the role viewer.
    init(
        storage: any RelayTokenStorage, configured: BearerToken?, now: @escaping @Sendable () -> Date,
        uptime: @escaping @Sendable () -> Duration
    ) {
        self.storage = storage
        self.configured = configured
        self.now = now
        self.uptime = uptime
    }

    /// Whether a token was ever created. From then on, requests without a token are refused.
    func hasTokens() async throws -> Bool {
        if configured != nil { return true }
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

    /// The caller that a token identifies, and whether the token is neither revoked nor expired; nil if the token is unknown.
    func caller(withToken text: String) async throws -> (caller: RelayCaller, isValid: Bool)? {
        if let configured, configured.matches(authorization: "Bearer \(text)") {
            return (RelayCaller(credential: .configured, tokenName: "configuration", role: .viewer), true)
        }
        let hash = TokenText.hash(of: text)
        guard let token = try await token(hash: hash) else { return nil }
        let isValid = token.isValid(at: now())
        if isValid { storage.noteUse(ofTokenNamed: token.name, at: now()) }
        return (RelayCaller(credential: .token(hash), tokenName: token.name, role: token.role, scope: token.scope), isValid)
    }

    /// Whether a credential is still valid.
    func isValid(_ credential: RelayCaller.Credential) async throws -> Bool {
        switch credential {
        case .none: try await !hasTokens()
        case .configured: true
        case .token(let hash): try await token(hash: hash)?.isValid(at: now()) ?? false
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
            state.tokens[hash] = Known(token: token, time: time)
        }
        return token
    }
}
