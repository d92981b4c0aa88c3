import Foundation
import GRDB

/// Stores client keys in an SQLite table.
struct SQLiteClientKeyStore: RelayClientKeyStorage {
    let database: RelayDatabase

    func bindClientKeys(_ keys: [RelayClientKey]) async throws -> RelayKeyBinding {
        // Usually all keys are bound already, and nothing is written.
        switch try await database.read({ try Self.check(keys, $0) }) {
        case .refused(let clientId): return .refused(clientId: clientId)
        case .bound(new: 0): return .bound(new: 0)
        case .bound: break
        }
        return try await database.write { db in
            let binding = try Self.check(keys, db)
            guard case .bound(let new) = binding, new > 0 else { return binding }
            for key in keys {
                try db.execute(
                    sql: "INSERT INTO client_secret (client_key, hash) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    arguments: [NameKey.data(of: key.clientId), key.hash])
            }
            return binding
        }
    }

    func unboundClients(among clientIds: [String]) async throws -> [String] {
        try await database.read { db in try clientIds.filter { try Self.hash(of: $0, db) == nil } }
    }

    /// The result that binding would have. Also refuses one identifier that occurs with two different keys.
    private static func check(_ keys: [RelayClientKey], _ db: Database) throws -> RelayKeyBinding {
        var new: [Data: Data] = [:]
        for key in keys {
            let client = NameKey.data(of: key.clientId)
            let bound = try hash(of: key.clientId, db) ?? new[client]
            guard bound == nil || bound == key.hash else { return .refused(clientId: key.clientId) }
            if bound == nil { new[client] = key.hash }
        }
        return .bound(new: new.count)
    }

    private static func hash(of clientId: String, _ db: Database) throws -> Data? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT hash FROM client_secret WHERE client_key = ?"),
            arguments: [NameKey.data(of: clientId)])
    }
}
