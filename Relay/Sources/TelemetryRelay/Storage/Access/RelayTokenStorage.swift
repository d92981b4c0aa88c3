public import Foundation

/// Stores tokens as their SHA-256. Another process may change them while the relay runs, so every call reads the current state.
public protocol RelayTokenStorage: Sendable {
    /// Stores a token, with an entry of the audit.
    /// - Throws: ``RelayStorageError/nameInUse(_:)``, even if the token of that name was revoked.
    func create(_ token: RelayToken, hash: Data) async throws
    /// The token with this hash, even if revoked or expired; check ``RelayToken/isValid(at:)``.
    func token(hash: Data) async throws -> RelayToken?
    /// All tokens ever created, sorted by name.
    func all() async throws -> [RelayToken]
    /// Revokes a token permanently, with an entry of the audit. Does not change one that is revoked already.
    /// - Returns: whether a token with that name exists.
    func revoke(named name: String, at date: Date) async throws -> Bool
    /// Records the use of a token. Returns immediately; the use is written within a minute, or when the storage is closed.
    func noteUse(ofTokenNamed name: String, at date: Date)
    /// Whether a token was ever created; never changes back to false.
    func hasTokens() async throws -> Bool
    /// Yields an element when a token may have been created or revoked. Changes by another process follow within a second while
    /// ``RelayStorage/run()`` runs. The expiry of a token yields no element.
    func hints() -> AsyncStream<Void>
}

/// The permissions of a token.
public enum RelayRole: String, Sendable, CaseIterable { case host, viewer, reader, auditor }

/// A stored token, without its text.
public struct RelayToken: Sendable, Equatable {
    public var name: String
    public var role: RelayRole
    /// What it is limited to; nil if it is not.
    public var scope: RelayScope?
    public var created: Date
    /// When it expires; nil means never.
    public var expires: Date?
    public var lastUsed: Date?
    /// When it was revoked; nil if it was not.
    public var revoked: Date?

    public init(
        name: String, role: RelayRole, scope: RelayScope? = nil, created: Date, expires: Date? = nil, lastUsed: Date? = nil,
        revoked: Date? = nil
    ) {
        self.name = name
        self.role = role
        self.scope = scope
        self.created = created
        self.expires = expires
        self.lastUsed = lastUsed
        self.revoked = revoked
    }

    /// Whether the token is neither revoked nor expired.
    public func isValid(at date: Date) -> Bool { revoked == nil && expires.map { date < $0 } ?? true }
}
