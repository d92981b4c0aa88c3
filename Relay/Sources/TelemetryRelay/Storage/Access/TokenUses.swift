import Foundation
import Synchronization

/// The last uses of tokens that are not written yet, and whether there are tokens at all.
final class TokenUses: Sendable {
    private struct State {
        /// By token name.
        var uses: [String: Date] = [:]
        var hasTokens = false
    }

    private let state = Mutex(State())

    func note(_ name: String, at date: Date) {
        state.withLock { state in state.uses[name] = max(date, state.uses[name] ?? date) }
    }

    /// The token with its last use, written or not.
    func applied(to token: RelayToken) -> RelayToken {
        guard let use = state.withLock({ $0.uses[token.name] }) else { return token }
        var token = token
        token.lastUsed = max(use, token.lastUsed ?? use)
        return token
    }

    /// Writes the uses, if there are any. After a failure, the next call writes them again.
    func write(_ write: ([String: Date]) async throws -> Void) async throws {
        let uses = state.withLock(\.uses)
        guard !uses.isEmpty else { return }
        try await write(uses)
        state.withLock { state in state.uses = state.uses.filter { uses[$0.key] != $0.value } }
    }

    /// Whether a token was ever created, which never changes back to false.
    func hasTokens(_ fetch: () async throws -> Bool) async throws -> Bool {
        if state.withLock(\.hasTokens) { return true }
        let hasTokens = try await fetch()
        if hasTokens { state.withLock { $0.hasTokens = true } }
        return hasTokens
    }
}
