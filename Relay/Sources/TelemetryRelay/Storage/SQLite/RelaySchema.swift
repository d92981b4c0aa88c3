import GRDB

/// The tables, as numbered migrations. The debug logs' tables in the same file have their own migrations.
///
/// Columns named `*_key`, `client`, `session`, `name` and the like that contain bytes contain ``NameKey``s. A body is the
/// original text.
enum RelaySchema {
    private static let prefix = "telemetry "

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(prefix + "1") { db in
            try db.execute(sql: state + events + records + access)
        }
        migrator.registerMigration(prefix + "2") { db in try db.execute(sql: filters) }
        migrator.registerMigration(prefix + "3") { db in try db.execute(sql: RecordSelection.statusIndex) }
        migrator.registerMigration(prefix + "4") { db in try db.execute(sql: recordPages + changeBytes) }
        migrator.registerMigration(prefix + "5") { db in
            // Rows of early builds have no key. They are listed last.
            try db.execute(sql: "UPDATE record SET sort_key = X'' WHERE sort_key IS NULL; " + RecordOrder.index)
        }
        return migrator
    }

    /// - Throws: ``RelayStorageError/newerVersion`` if the file has unknown migrations.
    static func migrate(_ writer: some DatabaseWriter) throws {
        let known = Set(migrator.migrations)
        let applied = try writer.read { db in
            guard try db.tableExists("grdb_migrations") else { return [String]() }
            return try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations")
        }
        guard applied.allSatisfy({ !$0.hasPrefix(prefix) || known.contains($0) }) else { throw RelayStorageError.newerVersion }
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

    /// `event_seen` contains the identity of each event in `event` and `event_deleted`, which are not stored again.
    /// `received` is in milliseconds of the arrival clock.
    private static let events = """
        CREATE TABLE event_client (id INTEGER PRIMARY KEY, client_key BLOB NOT NULL UNIQUE);
        CREATE TABLE event_stream (
            id INTEGER PRIMARY KEY,
            client INTEGER NOT NULL REFERENCES event_client (id),
            session_key BLOB NOT NULL,
            UNIQUE (client, session_key)
        );
        CREATE INDEX event_stream_session ON event_stream (session_key);
        CREATE TABLE event (
            number INTEGER PRIMARY KEY,
            stream INTEGER NOT NULL,
            event_key BLOB NOT NULL,
            received INTEGER NOT NULL,
            seconds INTEGER NOT NULL,
            nanoseconds INTEGER NOT NULL,
            level INTEGER NOT NULL,
            name_key BLOB NOT NULL,
            scenario_key BLOB,
            body BLOB NOT NULL
        );
        CREATE INDEX event_by_stream ON event (stream);
        CREATE TABLE event_seen (
            client INTEGER NOT NULL, event_key BLOB NOT NULL, PRIMARY KEY (client, event_key)
        ) WITHOUT ROWID;
        CREATE TABLE event_deleted (
            number INTEGER PRIMARY KEY, client INTEGER NOT NULL, event_key BLOB NOT NULL, received INTEGER NOT NULL
        );
        CREATE TABLE event_expired (
            id INTEGER PRIMARY KEY, client INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL
        );
        CREATE INDEX event_expired_last ON event_expired (last);

        """

    /// Indexes for filters without a client. A span has the first and the last second of a block of event numbers.
    private static let filters = """
        CREATE INDEX event_by_name ON event (name_key);
        CREATE TABLE event_span (block INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL);
        INSERT INTO event_span
            SELECT number / \(EventSpan.size), MIN(seconds), MAX(seconds) FROM event GROUP BY number / \(EventSpan.size);
        """

    private static let records = """
        CREATE TABLE record (
            id INTEGER PRIMARY KEY,
            name_key BLOB NOT NULL UNIQUE,
            type_key BLOB NOT NULL,
            client_key BLOB,
            body BLOB NOT NULL,
            date_texts BLOB
        );
        CREATE INDEX record_by_type ON record (type_key, client_key);
        CREATE TABLE record_change (
            number INTEGER PRIMARY KEY, type BLOB NOT NULL, name BLOB NOT NULL, client BLOB, previous_client BLOB
        );
        CREATE TABLE subscription (
            owner_key BLOB NOT NULL, id_key BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (owner_key, id_key)
        ) WITHOUT ROWID;

        """

    /// `sort_key` is ``RecordOrder/storedKey(of:)``.
    private static let recordPages = """
        ALTER TABLE record ADD COLUMN sort_key BLOB;
        DROP INDEX record_by_type;
        \(RecordSelection.orderIndex)

        """

    /// See ``RecordChangeBounds``. Earlier changes are deleted, because their size is not known.
    private static let changeBytes = """
        DELETE FROM record_change;
        ALTER TABLE record_change ADD COLUMN total INTEGER;

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
