/// The tables of events, records, subscriptions, tokens, client keys, debug logs and the audit.
///
/// Columns named `*_key` contain ``NameKey``s. The body of a record or a subscription is the original text. Strings from outside are stored as
/// bytes, because a text of PostgreSQL cannot contain a NUL; those of debug logs have none.
struct StorageSchema {
    /// The type of a column of bytes.
    let bytes: String
    /// The type of a column of text that is compared by its bytes.
    let text: String
    /// The type of a column that numbers the rows.
    let identity: String

    /// The tables of the first version that is upgraded. Never changes: later versions add to ``upgrades``.
    var tables: String { state + events + records + access + debugLogs + audit }

    /// The statements that make each later version out of the one before it, the oldest version first. A new database gets all of them.
    var upgrades: [String] { [alerts, clientsSeen] }

    /// `added` and `due` are in seconds of the arrival clock of `alert_state`; `fired`, and the times in `recent`, in milliseconds of that of
    /// events. `since` is the number of the first event that an alert is evaluated for.
    private var alerts: String {
        """
        CREATE TABLE alert (
            name_key \(bytes) PRIMARY KEY,
            name \(bytes) NOT NULL,
            definition \(bytes) NOT NULL,
            owner \(bytes),
            scope \(bytes),
            revision BIGINT NOT NULL,
            since BIGINT NOT NULL,
            recent \(bytes) NOT NULL,
            fired BIGINT
        );
        CREATE TABLE webhook (
            id \(identity),
            name_key \(bytes) NOT NULL UNIQUE,
            name \(bytes) NOT NULL,
            url \(text) NOT NULL,
            secret \(bytes) NOT NULL,
            created DOUBLE PRECISION NOT NULL
        );
        CREATE TABLE delivery (
            number BIGINT PRIMARY KEY,
            webhook BIGINT NOT NULL REFERENCES webhook (id),
            message \(text) NOT NULL UNIQUE,
            body \(bytes) NOT NULL,
            added DOUBLE PRECISION NOT NULL,
            attempts BIGINT NOT NULL,
            due DOUBLE PRECISION NOT NULL,
            failure \(bytes)
        );
        CREATE INDEX delivery_of_webhook ON delivery (webhook, number);
        CREATE TABLE alert_state (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            next_delivery BIGINT NOT NULL,
            next_revision BIGINT NOT NULL,
            next_event BIGINT NOT NULL,
            arrival DOUBLE PRECISION NOT NULL,
            wall DOUBLE PRECISION NOT NULL
        );
        INSERT INTO alert_state SELECT id, 1, 1, 1, arrival, wall FROM audit_state;

        """
    }

    /// See ``ClientSilences``. Of an alert about silence, `since` and `fired` are times of its clock, and `recent` has that of the last check.
    private var clientsSeen: String {
        """
        CREATE TABLE client_seen (client_key \(bytes) PRIMARY KEY, seen BIGINT NOT NULL);
        CREATE TABLE client_seen_state (
            id BIGINT PRIMARY KEY CHECK (id = 1), time BIGINT NOT NULL, wall DOUBLE PRECISION NOT NULL
        );
        INSERT INTO client_seen_state SELECT id, 0, wall FROM alert_state;

        """
    }

    /// Rows of counters. They assign numbers, so that a number is never reused, regardless of deletions.
    private var state: String {
        """
        CREATE TABLE relay_state (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            store TEXT NOT NULL,
            next_change BIGINT NOT NULL,
            token_changes BIGINT NOT NULL
        );
        CREATE TABLE event_state (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            next_event BIGINT NOT NULL,
            first_event BIGINT NOT NULL,
            next_block BIGINT NOT NULL,
            events BIGINT NOT NULL,
            event_bytes BIGINT NOT NULL,
            remembered BIGINT NOT NULL,
            stream_generation BIGINT NOT NULL,
            arrival DOUBLE PRECISION NOT NULL,
            wall DOUBLE PRECISION NOT NULL
        );
        CREATE TABLE debug_log_state (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            next BIGINT NOT NULL,
            entries BIGINT NOT NULL,
            bytes BIGINT NOT NULL,
            arrival DOUBLE PRECISION NOT NULL,
            wall DOUBLE PRECISION NOT NULL
        );
        CREATE TABLE audit_state (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            next BIGINT NOT NULL,
            arrival DOUBLE PRECISION NOT NULL,
            wall DOUBLE PRECISION NOT NULL
        );

        """
    }

    /// See ``EventBlock`` and ``EventIdentities``. Times of arrival are in milliseconds of the arrival clock.
    private var events: String {
        """
        CREATE TABLE event_client (id \(identity), client_key \(bytes) NOT NULL UNIQUE);
        CREATE TABLE event_stream (
            id \(identity),
            client BIGINT NOT NULL REFERENCES event_client (id),
            session_key \(bytes) NOT NULL,
            UNIQUE (client, session_key)
        );
        CREATE INDEX event_stream_session ON event_stream (session_key);
        CREATE TABLE event_block (
            id \(identity),
            client BIGINT NOT NULL,
            stream BIGINT NOT NULL,
            first BIGINT NOT NULL,
            last BIGINT NOT NULL,
            count BIGINT NOT NULL,
            first_received BIGINT NOT NULL,
            last_received BIGINT NOT NULL,
            first_second BIGINT NOT NULL,
            last_second BIGINT NOT NULL,
            size BIGINT NOT NULL,
            length BIGINT NOT NULL,
            packed BIGINT NOT NULL,
            summary \(bytes) NOT NULL,
            words \(bytes),
            entries \(bytes) NOT NULL,
            body \(bytes) NOT NULL
        );
        CREATE INDEX event_block_by_first ON event_block (first, last, first_second, last_second);
        CREATE INDEX event_block_by_last ON event_block (last, first, first_second, last_second);
        CREATE INDEX event_block_of_client ON event_block (client, first, last, first_second, last_second);
        CREATE INDEX event_block_of_client_by_last ON event_block (client, last, first, first_second, last_second);
        CREATE INDEX event_block_of_stream ON event_block (stream, first, last, first_second, last_second);
        CREATE INDEX event_block_unpacked ON event_block (stream, first, length, first_received) WHERE packed = 0;
        CREATE TABLE event_identity (
            id \(identity),
            client BIGINT NOT NULL,
            prefix \(bytes) NOT NULL,
            first BIGINT NOT NULL,
            last BIGINT NOT NULL,
            stored BIGINT NOT NULL,
            received BIGINT NOT NULL,
            UNIQUE (client, prefix, first)
        );
        CREATE INDEX event_identity_remembered ON event_identity (received, id) WHERE stored = 0;
        CREATE TABLE event_expired (
            id \(identity), client BIGINT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, count BIGINT NOT NULL
        );
        CREATE INDEX event_expired_last ON event_expired (last);
        CREATE INDEX event_expired_client ON event_expired (client);

        """
    }

    /// `sort_key` is ``RecordOrder/storedKey(of:)``. For `total`, see ``RecordChangeBounds``.
    private var records: String {
        """
        CREATE TABLE record (
            id \(identity),
            name_key \(bytes) NOT NULL UNIQUE,
            type_key \(bytes) NOT NULL,
            client_key \(bytes),
            status_key \(bytes),
            body \(bytes) NOT NULL,
            date_texts \(bytes),
            sort_key \(bytes) NOT NULL
        );
        CREATE INDEX record_by_order ON record (type_key, client_key, sort_key, name_key);
        CREATE INDEX record_by_status ON record (type_key, client_key, status_key);
        \(RecordOrder.index)
        CREATE TABLE record_change (
            number BIGINT PRIMARY KEY, type \(bytes) NOT NULL, name \(bytes) NOT NULL, client \(bytes), previous_client \(bytes),
            total BIGINT NOT NULL
        );
        CREATE TABLE subscription (
            owner_key \(bytes) NOT NULL, id_key \(bytes) NOT NULL, body \(bytes) NOT NULL, PRIMARY KEY (owner_key, id_key)
        );

        """
    }

    private var access: String {
        """
        CREATE TABLE token (
            name_key \(bytes) PRIMARY KEY,
            name \(bytes) NOT NULL,
            hash \(bytes) NOT NULL UNIQUE,
            role TEXT NOT NULL,
            created DOUBLE PRECISION NOT NULL,
            expires DOUBLE PRECISION,
            last_used DOUBLE PRECISION,
            revoked DOUBLE PRECISION,
            scope \(bytes)
        );
        CREATE TABLE client_secret (client_key \(bytes) PRIMARY KEY, hash \(bytes) NOT NULL);

        """
    }

    /// Times are in seconds since the reference date; `received` is of the arrival clock.
    private var debugLogs: String {
        """
        CREATE TABLE debug_log (
            number \(identity),
            id \(bytes) NOT NULL UNIQUE,
            correlation_id \(bytes) NOT NULL,
            session_id \(bytes) NOT NULL,
            device_id \(bytes),
            timestamp DOUBLE PRECISION NOT NULL,
            source \(text) NOT NULL,
            level \(text) NOT NULL,
            event \(text) NOT NULL,
            payload \(text) NOT NULL,
            received DOUBLE PRECISION NOT NULL,
            size BIGINT NOT NULL
        );
        CREATE INDEX debug_log_correlation ON debug_log (correlation_id, number);
        CREATE INDEX debug_log_session ON debug_log (session_id, number);

        """
    }

    /// See ``RelayStoredAuditEntry``. `time` is in milliseconds since 1970, `received` in those of the arrival clock.
    private var audit: String {
        """
        CREATE TABLE audit (
            number BIGINT PRIMARY KEY,
            time BIGINT NOT NULL,
            received BIGINT NOT NULL,
            action TEXT NOT NULL,
            token_key \(bytes),
            token \(bytes),
            role TEXT,
            address \(bytes),
            client_key \(bytes),
            client \(bytes),
            detail \(bytes) NOT NULL,
            status BIGINT NOT NULL
        );
        CREATE INDEX audit_of_client ON audit (client_key, number) WHERE client_key IS NOT NULL;

        """
    }

    /// Creates the rows of counters, unless another relay has created them.
    static func createState(_ db: any StorageConnection, store: String, wall: Double) throws {
        try db.enqueue("INSERT INTO relay_state VALUES (1, $1, 1, 0) ON CONFLICT DO NOTHING", [.text(store)])
        let states = [
            "event_state VALUES (1, 1, 1, 1, 0, 0, 0, 0,", "debug_log_state VALUES (1, 1, 0, 0,", "audit_state VALUES (1, 1,",
            "alert_state VALUES (1, 1, 1, 1,",
        ]
        for counters in states {
            try db.enqueue("INSERT INTO \(counters) $1, $1) ON CONFLICT DO NOTHING", [.double(wall)])
        }
        try db.enqueue("INSERT INTO client_seen_state VALUES (1, 0, $1) ON CONFLICT DO NOTHING", [.double(wall)])
    }
}
