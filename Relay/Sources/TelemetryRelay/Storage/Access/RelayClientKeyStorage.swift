public import Foundation

/// Which key belongs to a client identifier: the first that came, for good.
public protocol RelayClientKeyStorage: Sendable {
    /// Binds keys to identifiers that have none, all or none of them, atomically.
    func bindClientKeys(_ keys: [RelayClientKey]) async throws -> RelayKeyBinding
    /// Which of the identifiers have no key yet: those that a rate limit counts as new.
    func unboundClients(among clientIds: [String]) async throws -> [String]
}

/// A client identifier, and the SHA-256 of the key that came with it.
public struct RelayClientKey: Sendable, Hashable {
    public let clientId: String
    public let hash: Data

    public init(clientId: String, hash: Data) {
        self.clientId = clientId
        self.hash = hash
    }
}

/// What became of binding keys.
public enum RelayKeyBinding: Sendable, Equatable {
    /// Every identifier has the key that came with it; so many had none before.
    case bound(new: Int)
    /// This identifier has another key. Nothing was bound.
    case refused(clientId: String)
}
