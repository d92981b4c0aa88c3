import GRDB

/// The tables, as numbered migrations. The debug logs' tables in the same file have their own migrations.
///
/// Columns named `*_key`, `client`, `session`, `name` and the like that contain bytes contain ``NameKey``s. A body is the
/// original text.
enum RelaySchema {
    private static let prefix = "telemetry blocks "
    /// The prefix of versions with a row for each event.
    private static let olderPrefix = "telemetry "

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(prefix + "1") { db in
            try db.execute(sql: state + events + records + access)
        }
        return migrator
    }

    /// - Throws: ``RelayStorageError/newerVersion`` or ``RelayStorageError/olderVersion`` if the file has unknown migrations.
    static func migrate(_ writer: some DatabaseWriter) throws {
        let known = Set(migrator.migrations)
        let applied = try writer.read { db in
            guard try db.tableExists("grdb_migrations") else { return [String]() }
            return try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations")
        }
        let unknown = applied.filter { $0.hasPrefix(olderPrefix) && !known.contains($0) }
        if let version = unknown.first {
            throw version.hasPrefix(prefix) ? RelayStorageError.newerVersion : .olderVersion
        }
        // Does not write to an up-to-date file, so that it can be read when the disk is full.
        guard !known.isSubset(of: applied) else { return }
        try migrator.migrate(writer)
    }

    /// One row. Its counters assign numbers, so that a number is never reused, regardless of deletions.
    private static let state = """
        CREATE TABLE relay_state (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            store TEXT NOT NULL,
            next_event INTEGER NOT NULL,
            first_event INTEGER NOT NULL,
            next_block INTEGER NOT NULL,
            events INTEGER NOT NULL,
            event_bytes INTEGER NOT NULL,
            remembered INTEGER NOT NULL,
            stream_generation INTEGER NOT NULL,
            arrival REAL NOT NULL,
            wall REAL NOT NULL,
            next_change INTEGER NOT NULL,
            token_changes INTEGER NOT NULL
        );

        """

    /// See ``EventBlock`` and ``EventIdentities``. Times of arrival are in milliseconds of the arrival clock.
    private static let events = """
        CREATE TABLE event_client (id INTEGER PRIMARY KEY, client_key BLOB NOT NULL UNIQUE);
        CREATE TABLE event_stream (
            id INTEGER PRIMARY KEY,
            client INTEGER NOT NULL REFERENCES event_client (id),
            session_key BLOB NOT NULL,
            UNIQUE (client, session_key)
        );
        CREATE INDEX event_stream_session ON event_stream (session_key);
        CREATE TABLE event_block (
            id INTEGER PRIMARY KEY,
            client INTEGER NOT NULL,
            stream INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            count INTEGER NOT NULL,
            first_received INTEGER NOT NULL,
            last_received INTEGER NOT NULL,
            first_second INTEGER NOT NULL,
            last_second INTEGER NOT NULL,
            size INTEGER NOT NULL,
            length INTEGER NOT NULL,
            packed INTEGER NOT NULL,
            summary BLOB NOT NULL,
            entries BLOB NOT NULL,
            body BLOB NOT NULL
        );
        CREATE INDEX event_block_by_first ON event_block (first, last, first_second, last_second);
        CREATE INDEX event_block_by_last ON event_block (last, first, first_second, last_second);
        CREATE INDEX event_block_of_client ON event_block (client, first, last, first_second, last_second);
        CREATE INDEX event_block_of_client_by_last ON event_block (client, last, first, first_second, last_second);
        CREATE INDEX event_block_of_stream ON event_block (stream, first, last, first_second, last_second);
        CREATE INDEX event_block_unpacked ON event_block (stream, first, length, first_received) WHERE packed = 0;
        CREATE TABLE event_identity (
            id INTEGER PRIMARY KEY,
            client INTEGER NOT NULL,
            prefix BLOB NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            stored INTEGER NOT NULL,
            received INTEGER NOT NULL,
            UNIQUE (client, prefix, first)
        );
        CREATE INDEX event_identity_remembered ON event_identity (received, id) WHERE stored = 0;
        CREATE TABLE event_expired (
            id INTEGER PRIMARY KEY, client INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL
        );
        CREATE INDEX event_expired_last ON event_expired (last);

        """

    /// `sort_key` is ``RecordOrder/storedKey(of:)``. For `total`, see ``RecordChangeBounds``.
    private static let records = """
        CREATE TABLE record (
            id INTEGER PRIMARY KEY,
            name_key BLOB NOT NULL UNIQUE,
            type_key BLOB NOT NULL,
            client_key BLOB,
            body BLOB NOT NULL,
            date_texts BLOB,
            sort_key BLOB NOT NULL
        );
        \(RecordSelection.orderIndex)
        \(RecordSelection.statusIndex)
        \(RecordOrder.index)
        CREATE TABLE record_change (
            number INTEGER PRIMARY KEY, type BLOB NOT NULL, name BLOB NOT NULL, client BLOB, previous_client BLOB,
            total INTEGER NOT NULL
        );
        CREATE TABLE subscription (
            owner_key BLOB NOT NULL, id_key BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (owner_key, id_key)
        ) WITHOUT ROWID;

        """

    private static let access = """
        CREATE TABLE token (
            name_key BLOB PRIMARY KEY,
            name BLOB NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            role TEXT NOT NULL,
            created REAL NOT NULL,
            expires REAL,
            last_used REAL,
            revoked REAL
        ) WITHOUT ROWID;
        CREATE TABLE client_secret (client_key BLOB PRIMARY KEY, hash BLOB NOT NULL) WITHOUT ROWID;
        """
}
