import Foundation
import Synchronization

/// Binds each client identifier to the first key used with it, and rejects any other key.
final class ClientKeyring: Sendable {
    private let storage: any RelayClientKeyStorage
    private let newClients: RateLimiter<RelayRateSource>
    /// A cache of bindings of one generation of the storage, which never change.
    private let bound = Mutex<(generation: String, keys: [String: Data])>(("", [:]))
    private static let maximumBound = 50_000

    init(storage: any RelayClientKeyStorage, newClients: RateLimiter<RelayRateSource>) {
        self.storage = storage
        self.newClients = newClients
    }

    /// Binds the keys of clients that have none.
    /// - Parameter source: the source that new clients are counted against.
    /// - Throws: a 403 if another key is bound, a 429 if there are too many new clients.
    func admit(_ keys: [RelayClientKey], from source: String) async throws {
        let generation = storage.generation
        let unknown = bound.withLock { bound in
            if bound.generation != generation { bound = (generation, [:]) }
            return keys.filter { bound.keys[$0.clientId] != $0.hash }
        }
        guard !unknown.isEmpty else { return }
        let new = try await storage.unbound(among: unknown.map(\.clientId)).count
        if new > 0, let wait = newClients.take(new, from: RelayRateSource(.newClients, source)) {
            throw Problem.rateLimited("Too many new clients.", retryAfter: wait)
        }
        switch try await storage.bind(unknown) {
        case .refused: throw Problem.forbidden("This client has another key.")
        case .bound:
            bound.withLock { bound in
                guard bound.generation == generation else { return }
                if bound.keys.count >= Self.maximumBound { bound.keys.removeAll() }
                for key in unknown { bound.keys[key.clientId] = key.hash }
            }
        }
    }
}
