import Foundation
import Synchronization

/// Stores client keys in a table of a database.
final class ClientKeyStore: RelayClientKeyStorage {
    private let database: any StorageDatabase
    private let store: Mutex<StoreIdentity>

    init(_ database: any StorageDatabase, of store: StoreIdentity) {
        self.database = database
        self.store = Mutex(store)
    }

    var generation: String { store.withLock(\.rawValue) }

    /// Notes the identity of the database, which a restore changes.
    func validate(_ store: StoreIdentity) { self.store.withLock { $0 = store } }

    func bind(_ keys: [RelayClientKey]) async throws -> RelayKeyBinding {
        // Usually all keys are bound already, and nothing is written.
        switch try await database.read({ try Self.check(keys, $0) }) {
        case .refused(let clientId): return .refused(clientId: clientId)
        case .bound(new: 0): return .bound(new: 0)
        case .bound: break
        }
        return try await database.write(.relay) { db in
            let binding = try Self.check(keys, db)
            guard case .bound(let new) = binding, new > 0 else { return binding }
            for key in keys {
                try db.enqueue(
                    "INSERT INTO client_secret (client_key, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    [.bytes(NameKey.data(of: key.clientId)), .bytes(key.hash)])
            }
            return binding
        }
    }

    func unbound(among clientIds: [String]) async throws -> [String] {
        let hashes = try await database.read { try Self.hashes(of: clientIds, $0) }
        return zip(clientIds, hashes).filter { $1 == nil }.map(\.0)
    }

    /// The result that binding would have. Also refuses one identifier that occurs with two different keys.
    private static func check(_ keys: [RelayClientKey], _ db: any StorageConnection) throws -> RelayKeyBinding {
        var new: [Data: Data] = [:]
        for (key, hash) in zip(keys, try hashes(of: keys.map(\.clientId), db)) {
            let client = NameKey.data(of: key.clientId)
            let bound = hash ?? new[client]
            guard bound == nil || bound == key.hash else { return .refused(clientId: key.clientId) }
            if bound == nil { new[client] = key.hash }
        }
        return .bound(new: new.count)
    }

    private static func hashes(of clientIds: [String], _ db: any StorageConnection) throws -> [Data?] {
        let statements = clientIds.map {
            Statement("SELECT hash FROM client_secret WHERE client_key = $1", [.bytes(NameKey.data(of: $0))])
        }
        return try db.rows(statements).map { try $0.first?.bytes(0) }
    }
}
