#if PostgreSQL
import PostgreSQLClient

/// The tables, as numbered migrations.
///
/// Columns named `*_key` of the type `bytea` contain ``NameKey``s, and those of the type `uuid` the first 128 bits of the SHA-256
/// of one. Strings from outside are stored as bytes, because a text of the server cannot contain a NUL.
enum PostgreSQLSchema {
    /// The migrations in order; the first has the number 1.
    static let migrations = [
        state + events + records + access + debugLogs, recordPages + changeBytes,
        // Rows of early builds have no key. They are listed last.
        "UPDATE record SET sort_key = ''::bytea WHERE sort_key IS NULL; " + RecordOrder.index,
    ]

    /// The oldest version of the server that has the functions the relay uses, as in `server_version_num`.
    static let minimumServer: Int64 = 130_000

    /// Held by a transaction that opens the store, so that relays that start together do so one after the other.
    static let lock = "SELECT pg_advisory_xact_lock(1819307363, hashtext(current_schema()::text))"

    /// - Throws: ``RelayStorageError/newerVersion`` if the database has unknown migrations.
    static func migrate(_ pool: PostgreSQLPool) async throws {
        // Does not wait for other relays if the database is up to date.
        let isCurrent = try await pool.withConnection { connection in
            try await check(connection)
            guard try await connection.execute("SELECT to_regclass('relay_migration') IS NOT NULL").row.bool(0) else {
                return false
            }
            return try await version(connection) == migrations.count
        }
        guard !isCurrent else { return }
        try await pool.transaction { connection in
            try await connection.execute(lock)
            try await connection.run("CREATE TABLE IF NOT EXISTS relay_migration (number integer PRIMARY KEY)")
            let version = try await version(connection)
            for (index, migration) in migrations.enumerated().dropFirst(version) {
                try await connection.run(migration, isUnlimited: true)
                try await connection.execute("INSERT INTO relay_migration VALUES ($1::integer)", [.int32(Int32(index + 1))])
            }
        }
    }

    /// - Throws: ``RelayStorageError/unavailable(_:)`` if the server's version is too old.
    static func check(_ connection: PostgreSQLConnection, minimum: Int64 = minimumServer) async throws {
        let row = try await connection.execute(
            "SELECT current_setting('server_version_num')::bigint, current_setting('server_version')"
        ).row
        guard try row.int(0) < minimum else { return }
        throw RelayStorageError.unavailable(
            "the server has version \(try row.text(1)); the relay needs PostgreSQL \(minimum / 10_000) or later")
    }

    private static func version(_ connection: PostgreSQLConnection) async throws -> Int {
        let version = Int(try await connection.execute("SELECT COALESCE(MAX(number), 0) FROM relay_migration").row.int(0))
        guard version <= migrations.count else { throw RelayStorageError.newerVersion }
        return version
    }

    private static let state = """
        CREATE TABLE relay_state (
            id integer PRIMARY KEY CHECK (id = 1),
            store text NOT NULL,
            transaction_offset bigint NOT NULL,
            arrival float8 NOT NULL,
            wall float8 NOT NULL,
            next_change bigint NOT NULL,
            token_changes bigint NOT NULL,
            next_debug_log bigint NOT NULL
        );

        """

    /// `event_identity` contains the identity of each event in `event` and `event_deleted`, which are not stored again.
    /// `event_count` has a row for each transaction that stores or deletes events; the sums are the counts. `received` is in
    /// milliseconds of the arrival clock. See ``PostgreSQLEventSpans`` for `event_span`.
    private static let events = """
        CREATE TABLE event (
            number bigint NOT NULL,
            received bigint NOT NULL,
            seconds bigint NOT NULL,
            nanoseconds integer NOT NULL,
            level smallint NOT NULL,
            identity uuid NOT NULL,
            client uuid NOT NULL,
            session uuid NOT NULL,
            name uuid NOT NULL,
            scenario uuid,
            body bytea NOT NULL
        ) PARTITION BY RANGE (received);
        CREATE INDEX ON event (number);
        CREATE INDEX ON event (client, number);
        CREATE INDEX ON event (session, number);
        CREATE INDEX ON event (scenario, number);
        CREATE INDEX ON event (name, number);
        CREATE TABLE event_partition (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, lower bigint NOT NULL, upper bigint NOT NULL
        );
        CREATE TABLE event_identity (identity uuid PRIMARY KEY);
        CREATE TABLE event_deleted (number bigint PRIMARY KEY, identity uuid NOT NULL, received bigint NOT NULL);
        CREATE TABLE event_count (events bigint NOT NULL, bytes bigint NOT NULL, remembered bigint NOT NULL);
        CREATE TABLE event_expired (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            client uuid NOT NULL,
            first bigint NOT NULL,
            last bigint NOT NULL,
            count bigint NOT NULL
        );
        CREATE INDEX ON event_expired (last);
        CREATE TABLE event_span (first bigint NOT NULL, last bigint NOT NULL, seconds int8range NOT NULL, events bigint NOT NULL);
        CREATE INDEX ON event_span (first);
        CREATE INDEX ON event_span (last);
        CREATE INDEX ON event_span USING gist (seconds);

        """

    private static let records = """
        CREATE TABLE record (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name_key bytea NOT NULL UNIQUE,
            type_key bytea NOT NULL,
            client_key bytea,
            status_key bytea,
            body bytea NOT NULL,
            date_texts bytea
        );
        CREATE INDEX ON record (type_key, client_key, status_key);
        CREATE TABLE record_change (
            number bigint PRIMARY KEY, type bytea NOT NULL, name bytea NOT NULL, client bytea, previous_client bytea
        );
        CREATE TABLE subscription (
            owner_key bytea NOT NULL, id_key bytea NOT NULL, body bytea NOT NULL, PRIMARY KEY (owner_key, id_key)
        );

        """

    /// `sort_key` is ``RecordOrder/storedKey(of:)``.
    private static let recordPages = "ALTER TABLE record ADD COLUMN sort_key bytea;"

    /// See ``RecordChangeBounds``. Earlier changes are deleted, because their size is not known.
    private static let changeBytes = "DELETE FROM record_change; ALTER TABLE record_change ADD COLUMN total bigint;"

    private static let access = """
        CREATE TABLE token (
            name_key bytea PRIMARY KEY,
            name bytea NOT NULL,
            hash bytea NOT NULL UNIQUE,
            role text NOT NULL,
            created float8 NOT NULL,
            expires float8,
            last_used float8,
            revoked float8
        );
        CREATE TABLE client_secret (client_key bytea PRIMARY KEY, hash bytea NOT NULL);
        CREATE UNLOGGED TABLE rate_use (
            relay text NOT NULL, source uuid NOT NULL, used float8 NOT NULL, updated timestamptz NOT NULL,
            PRIMARY KEY (relay, source)
        );
        CREATE INDEX ON rate_use (updated);

        """

    /// `text` is the event's name and the payload with ASCII letters in lower case, which searches use.
    private static let debugLogs = """
        CREATE TABLE debug_log (
            number bigint PRIMARY KEY,
            id uuid NOT NULL UNIQUE,
            correlation_id uuid NOT NULL,
            timestamp float8 NOT NULL,
            source text NOT NULL,
            level text NOT NULL,
            event bytea NOT NULL,
            payload bytea NOT NULL,
            device_id uuid,
            session_id uuid NOT NULL,
            received float8 NOT NULL,
            text bytea NOT NULL
        );
        CREATE INDEX ON debug_log (correlation_id, number);
        CREATE INDEX ON debug_log (session_id, number);
        CREATE TABLE debug_log_count (entries bigint NOT NULL, bytes bigint NOT NULL);
        """
}
#endif
