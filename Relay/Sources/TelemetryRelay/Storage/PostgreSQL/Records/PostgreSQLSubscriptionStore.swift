#if PostgreSQL
import Foundation
import PostgreSQLClient
import TelemetryTransport

/// Stores subscriptions.
struct PostgreSQLSubscriptionStore: RelaySubscriptionStorage {
    let database: PostgreSQLDatabase

    private static func keys(_ texts: String...) -> [PostgreSQLValue] { texts.map { .bytes(Array(NameKey.data(of: $0))) } }

    func saveSubscription(_ subscription: TelemetrySubscription, owner: String) async throws {
        let body = try RecordRow.encode(subscription)
        try await database.write(
            """
            INSERT INTO subscription (owner_key, id_key, body) VALUES ($1::bytea, $2::bytea, $3::bytea)
            ON CONFLICT (owner_key, id_key) DO UPDATE SET body = excluded.body
            """, Self.keys(owner, subscription.id) + [.bytes(Array(body))])
    }

    func subscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> TelemetrySubscription? {
        try await database.read { connection in
            try await connection.execute(
                "SELECT body FROM subscription WHERE owner_key = $1::bytea AND id_key = $2::bytea", Self.keys(owner, id)
            ).rows.first.map { try RecordRow.decode(TelemetrySubscription.self, Data(try $0.bytes(0))) }
        }
    }

    func deleteSubscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> Bool {
        try await database.write(
            "DELETE FROM subscription WHERE owner_key = $1::bytea AND id_key = $2::bytea", Self.keys(owner, id)
        ).affected > 0
    }

    func subscriptions(owner: String) async throws -> [TelemetrySubscription] {
        try await database.read { connection in
            try await connection.execute("SELECT body FROM subscription WHERE owner_key = $1::bytea", Self.keys(owner)).rows
                .map { try RecordRow.decode(TelemetrySubscription.self, Data(try $0.bytes(0))) }
        }.sorted { $0.id < $1.id }
    }
}
#endif
