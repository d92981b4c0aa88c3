#if PostgreSQL
import Foundation
import PostgreSQLClient

/// What identifies a store, and what its relays agree on.
struct PostgreSQLStore: Sendable {
    /// A random identifier of the database, by which cursors from other databases are detected.
    let identifier: String
    /// Added to the server's transaction identifiers, so that event numbers grow after a dump is restored on another server.
    let transactionOffset: Int64
    /// Both clocks when the store was last used; nil for a new store.
    let savedClock: ArrivalClock.Saved?

    /// The name in `pg_stat_activity` of this store's connections that may store events; readers wait for their transactions.
    var applicationName: String { "telemetry-relay \(identifier)" }
    /// The name of this store's connections in transactions that store no events, for which readers do not wait.
    var otherApplicationName: String { "\(applicationName) other" }
    /// The channel of this store's notifications.
    var channel: String { "telemetry_relay_\(identifier)" }

    /// The number of bits of an event number that count the events of one transaction.
    static let ordinalBits: Int64 = 20

    static func open(_ pool: PostgreSQLPool, _ configuration: RelayStorageConfiguration) async throws -> PostgreSQLStore {
        let wall = configuration.now().timeIntervalSinceReferenceDate
        return try await pool.transaction { connection in
            try await connection.execute(PostgreSQLSchema.lock)
            let isNew =
                try await connection.execute(
                    """
                    INSERT INTO relay_state (id, store, transaction_offset, arrival, wall, next_change, token_changes, next_debug_log)
                    VALUES (1, $1::text, 0, $2::float8, $2::float8, 1, 0, 1) ON CONFLICT DO NOTHING
                    """, [.text(configuration.makeIdentifier()), .double(wall)]
                ).affected == 1
            try await connection.execute(
                """
                UPDATE relay_state SET transaction_offset = newest - current + 1 FROM (
                    SELECT GREATEST((SELECT MAX(number) FROM event), (SELECT MAX(last) FROM event_expired)) >> \(ordinalBits) AS newest,
                        pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS current
                ) AS stored WHERE newest >= current + transaction_offset
                """)
            let row = try await connection.execute(
                "SELECT store, transaction_offset, arrival, wall FROM relay_state WHERE id = 1"
            ).row
            let saved = ArrivalClock.Saved(arrival: try row.double(2), wall: try row.double(3))
            return PostgreSQLStore(
                identifier: try row.text(0), transactionOffset: try row.int(1), savedClock: isNew ? nil : saved)
        }
    }

    /// The text of a position among events or changes.
    func place(_ number: Int64) -> String { "\(identifier)-\(number)" }

    /// The number of a position; nil if it belongs to another database or is not yet reached.
    func number(ofPlace text: String, before next: Int64) -> Int64? {
        guard text.hasPrefix(identifier + "-"), let number = Int64(text.dropFirst(identifier.count + 1)), number >= 0,
            number < next, text == place(number)
        else { return nil }
        return number
    }

    /// A statement for the smallest number that an event may still get: all events below are committed or will never be.
    ///
    /// A reader must run it before the statement that reads events. Transactions commit in any order, so an event may become
    /// visible after another one with a higher number. Numbers begin with the transaction's identifier. A transaction that a
    /// later snapshot cannot see is running now, or begins later and has an identifier of at least `xmax`. The running ones are in
    /// `pg_stat_activity`, which reads them after this statement's snapshot was taken. Only this store's connections count, so
    /// that other users of the server do not delay readers. The server shows the columns used here to every role, also for the
    /// sessions of other roles, of which it hides `backend_type`.
    var guardStatement: String {
        """
        WITH snapshot AS (
            SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS newest
        ), sessions AS (
            SELECT backend_xid::text::bigint AS running FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '\(applicationName)'
        )
        SELECT (LEAST(newest, (
            SELECT MIN(newest - ((newest - running) & 4294967295)) FROM sessions
            WHERE ((newest - running) & 4294967295) < 2147483648
        )) + \(transactionOffset)) << \(Self.ordinalBits) FROM snapshot
        """
    }

    /// The smallest number that an event may still get.
    func eventGuard(_ connection: PostgreSQLConnection) async throws -> Int64 {
        try await connection.execute(guardStatement).row.int(0)
    }
}
#endif
