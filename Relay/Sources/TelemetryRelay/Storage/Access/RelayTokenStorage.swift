public import Foundation

/// Tokens, of which only the SHA-256 is stored. Another process may change them while the relay runs: every call looks at what is
/// stored now.
public protocol RelayTokenStorage: Sendable {
    /// Stores a token.
    /// - Throws: ``RelayStorageError/nameInUse(_:)``, also where the token of that name was revoked.
    func createToken(_ token: RelayToken, hash: Data) async throws
    /// The token with this hash, revoked and expired ones included: the caller decides by ``RelayToken/isValid(at:)``.
    func token(hash: Data) async throws -> RelayToken?
    /// Every token ever made, by name.
    func tokens() async throws -> [RelayToken]
    /// Revokes a token for good; one that is revoked already stays as it is.
    /// - Returns: whether there is one of that name.
    func revokeToken(named name: String, at date: Date) async throws -> Bool
    /// Notes that a token was used. Returns at once: it is written within a minute, or when the storage is closed.
    func noteUse(ofTokenNamed name: String, at date: Date)
    /// Whether a token was ever made: true for good after the first.
    func hasTokens() async throws -> Bool
    /// An element each time that a token may have been made or revoked, also by another process, within a second while
    /// ``RelayStorage/run()`` runs. That a token expires is not among them.
    func tokenHints() -> AsyncStream<Void>
}

/// What a token opens.
public enum RelayRole: String, Sendable, CaseIterable { case host, viewer, reader }

/// What is known of a token, but the token itself.
public struct RelayToken: Sendable, Equatable {
    public var name: String
    public var role: RelayRole
    public var created: Date
    /// From when it is not valid; nil: never.
    public var expires: Date?
    public var lastUsed: Date?
    /// Since when it is revoked.
    public var revoked: Date?

    public init(
        name: String, role: RelayRole, created: Date, expires: Date? = nil, lastUsed: Date? = nil, revoked: Date? = nil
    ) {
        self.name = name
        self.role = role
        self.created = created
        self.expires = expires
        self.lastUsed = lastUsed
        self.revoked = revoked
    }

    /// Whether it is neither revoked nor expired.
    public func isValid(at date: Date) -> Bool { revoked == nil && expires.map { date < $0 } ?? true }
}
