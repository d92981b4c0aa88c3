import Foundation
import TelemetryTransport

/// Stores subscriptions in a table of a database.
struct SubscriptionStore: RelaySubscriptionStorage {
    let database: any StorageDatabase

    func save(_ subscription: TelemetrySubscription, owner: String) async throws {
        let values = Self.keys(owner, subscription.id) + [.bytes(try RecordRow.encode(subscription))]
        _ = try await database.write(.relay) { db in
            try db.execute(
                """
                INSERT INTO subscription (owner_key, id_key, body) VALUES ($1, $2, $3)
                ON CONFLICT (owner_key, id_key) DO UPDATE SET body = excluded.body
                """, values)
        }
    }

    func subscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> TelemetrySubscription? {
        try await database.rows(
            "SELECT body FROM subscription WHERE owner_key = $1 AND id_key = $2", Self.keys(owner, id)
        ).first.map { try Self.subscription($0) }
    }

    func delete(withID id: TelemetrySubscription.ID, owner: String) async throws -> Bool {
        let keys = Self.keys(owner, id)
        return try await database.write(.relay) { db in
            try db.execute("DELETE FROM subscription WHERE owner_key = $1 AND id_key = $2", keys) > 0
        }
    }

    func all(owner: String) async throws -> [TelemetrySubscription] {
        try await database.rows("SELECT body FROM subscription WHERE owner_key = $1", Self.keys(owner))
            .map { try Self.subscription($0) }.sorted { $0.id < $1.id }
    }

    private static func keys(_ texts: String...) -> [StorageValue] { texts.map { .bytes(NameKey.data(of: $0)) } }

    /// - Parameter column: that of the body.
    static func subscription(_ row: StorageRow, _ column: Int = 0) throws -> TelemetrySubscription {
        try RecordRow.decode(TelemetrySubscription.self, try row.bytes(column))
    }
}
