#if PostgreSQL
import Foundation
import PostgreSQLClient

/// Stores client keys.
struct PostgreSQLClientKeyStore: RelayClientKeyStorage {
    /// Thrown to undo a transaction.
    private struct Refused: Error { let clientId: String }

    let database: PostgreSQLDatabase

    func bindClientKeys(_ keys: [RelayClientKey]) async throws -> RelayKeyBinding {
        // Usually all keys are bound already, and nothing is written.
        let bound = try await database.read { try await Self.fetch(keys.map(\.clientId), $0) }
        switch Self.check(keys, bound) {
        case .refused(let clientId): return .refused(clientId: clientId)
        case .bound(new: 0): return .bound(new: 0)
        case .bound: break
        }
        do {
            return try await database.write { connection in
                // Of two relays that bind the same identifier, one waits for the other. In order, so that they do not wait for
                // each other.
                let sorted = Dictionary(keys.map { (NameKey.data(of: $0.clientId), $0.hash) }) { first, _ in first }
                    .sorted { $0.key.lexicographicallyPrecedes($1.key) }
                let new = try await connection.execute(
                    """
                    INSERT INTO client_secret (client_key, hash) SELECT * FROM unnest($1::bytea[], $2::bytea[])
                    ON CONFLICT DO NOTHING
                    """, [.byteStrings(sorted.map { Array($0.key) }), .byteStrings(sorted.map { Array($0.value) })]
                ).affected
                if case .refused(let clientId) = Self.check(keys, try await Self.fetch(keys.map(\.clientId), connection)) {
                    throw Refused(clientId: clientId)
                }
                return .bound(new: new)
            }
        } catch let error as Refused {
            return .refused(clientId: error.clientId)
        }
    }

    func unboundClients(among clientIds: [String]) async throws -> [String] {
        let bound = try await database.read { try await Self.fetch(clientIds, $0) }
        return clientIds.filter { bound[NameKey.data(of: $0)] == nil }
    }

    /// The result that binding would have. Also refuses one identifier that occurs with two different keys.
    private static func check(_ keys: [RelayClientKey], _ bound: [Data: Data]) -> RelayKeyBinding {
        var all = bound
        for key in keys {
            let client = NameKey.data(of: key.clientId)
            guard all[client] == nil || all[client] == key.hash else { return .refused(clientId: key.clientId) }
            all[client] = key.hash
        }
        return .bound(new: all.count - bound.count)
    }

    private static func fetch(_ clientIds: [String], _ connection: PostgreSQLConnection) async throws -> [Data: Data] {
        let rows = try await connection.execute(
            "SELECT client_key, hash FROM client_secret WHERE client_key = ANY($1::bytea[])",
            [.byteStrings(clientIds.map { Array(NameKey.data(of: $0)) })]
        ).rows
        return Dictionary(try rows.map { (Data(try $0.bytes(0)), Data(try $0.bytes(1))) }) { first, _ in first }
    }
}
#endif
