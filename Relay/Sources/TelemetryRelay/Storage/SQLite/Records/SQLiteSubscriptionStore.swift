import Foundation
import GRDB
import TelemetryTransport

/// Stores subscriptions in an SQLite table.
struct SQLiteSubscriptionStore: RelaySubscriptionStorage {
    let database: RelayDatabase

    func saveSubscription(_ subscription: TelemetrySubscription, owner: String) async throws {
        let body = try RecordRow.encode(subscription)
        let keys = [NameKey.data(of: owner), NameKey.data(of: subscription.id)]
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO subscription (owner_key, id_key, body) VALUES (?, ?, ?)",
                arguments: StatementArguments(keys + [body]))
        }
    }

    func subscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> TelemetrySubscription? {
        try await database.read { db in
            try Data.fetchOne(
                db, sql: "SELECT body FROM subscription WHERE owner_key = ? AND id_key = ?",
                arguments: [NameKey.data(of: owner), NameKey.data(of: id)]
            ).map { try RecordRow.decode(TelemetrySubscription.self, $0) }
        }
    }

    func deleteSubscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> Bool {
        let keys = [NameKey.data(of: owner), NameKey.data(of: id)]
        return try await database.write { db in
            try db.execute(
                sql: "DELETE FROM subscription WHERE owner_key = ? AND id_key = ?", arguments: StatementArguments(keys))
            return db.changesCount > 0
        }
    }

    func subscriptions(owner: String) async throws -> [TelemetrySubscription] {
        try await database.read { db in
            try Data.fetchAll(
                db, sql: "SELECT body FROM subscription WHERE owner_key = ?", arguments: [NameKey.data(of: owner)]
            ).map { try RecordRow.decode(TelemetrySubscription.self, $0) }
        }.sorted { $0.id < $1.id }
    }
}
