import Foundation
import Synchronization

/// Holds clients to the keys that they came with first.
final class ClientKeyring: Sendable {
    private let storage: any RelayClientKeyStorage
    private let newClients: RateLimiter<String>
    /// Bindings are for good, so that what was seen once need not be looked up again.
    private let bound = Mutex<[String: Data]>([:])
    private static let maximumBound = 50_000

    init(storage: any RelayClientKeyStorage, newClients: RateLimiter<String>) {
        self.storage = storage
        self.newClients = newClients
    }

    /// Binds the keys of clients that have none.
    /// - Parameter source: whose new clients are counted.
    /// - Throws: a 403 for another key than the one that is bound, a 429 for too many new clients.
    func admit(_ keys: [RelayClientKey], from source: String) async throws {
        let unknown = bound.withLock { bound in keys.filter { bound[$0.clientId] != $0.hash } }
        guard !unknown.isEmpty else { return }
        let new = try await storage.unboundClients(among: unknown.map(\.clientId)).count
        if new > 0, let wait = newClients.take(new, from: source) {
            throw Problem.rateLimited("Too many new clients.", retryAfter: wait)
        }
        switch try await storage.bindClientKeys(unknown) {
        case .refused: throw Problem.forbidden("This client has another key.")
        case .bound:
            bound.withLock { bound in
                if bound.count >= Self.maximumBound { bound.removeAll() }
                for key in unknown { bound[key.clientId] = key.hash }
            }
        }
    }
}
