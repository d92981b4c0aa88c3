public import Foundation

/// The key of each client identifier: the first one used with it, permanently.
public protocol RelayClientKeyStorage: Sendable {
    /// Atomically binds keys to identifiers that have none: all of them or none.
    func bind(_ keys: [RelayClientKey]) async throws -> RelayKeyBinding
    /// The identifiers that have no key yet, which count as new clients for rate limits.
    func unbound(among clientIds: [String]) async throws -> [String]
    /// Identifies the set of bindings. It changes when a backup is restored; bindings from before are then not valid.
    var generation: String { get }
}

extension RelayClientKeyStorage {
    /// The same one always, for a storage that is never restored.
    public var generation: String { "" }
}

/// A client identifier and the SHA-256 of its key.
public struct RelayClientKey: Sendable, Hashable {
    public let clientId: String
    public let hash: Data

    public init(clientId: String, hash: Data) {
        self.clientId = clientId
        self.hash = hash
    }
}

/// The result of binding keys.
public enum RelayKeyBinding: Sendable, Equatable {
    /// Every identifier is bound to its key; `new` is the number of identifiers that had none before.
    case bound(new: Int)
    /// This identifier has another key. Nothing was bound.
    case refused(clientId: String)
}
