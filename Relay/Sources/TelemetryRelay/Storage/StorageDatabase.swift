/// The access to a database, as its driver implements it. Every method throws ``RelayStorageError``, or what its argument throws.
///
/// Transactions that write to the same part run one after the other: the numbers that they assign become visible in order and without
/// gaps, and what one of them has read does not change before it commits. SQLite has one writer for all parts. PostgreSQL has many, of
/// several relays, and its driver takes a lock on the part's row of counters when the transaction begins.
protocol StorageDatabase: Sendable {
    /// Reads from one snapshot. A write is not seen in part, and does not wait.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value

    /// Reads what may take long, such as many events, from one snapshot when it is the request's turn.
    func query<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value

    /// Changes when commits may be lost, as after a fail-over to a server that does not have the last ones.
    var epoch: Int { get }

    /// Whether this relay does the work that one relay of the database does for all; false while another one does it.
    func isMaintainer() async throws -> Bool

    /// Reads with one statement.
    func rows(_ sql: String, _ values: [StorageValue]) async throws -> [StorageRow]

    /// Writes in one transaction, and then calls `done` on any thread. `body` may be called again after its changes were undone.
    func write<Value: Sendable>(
        _ part: StoragePart, _ body: @escaping @Sendable (any StorageConnection) throws -> Value,
        done: @escaping @Sendable (Result<Value, any Error>) -> Void)
}

extension StorageDatabase {
    var epoch: Int { 0 }

    func isMaintainer() async throws -> Bool { true }

    /// Writes in one transaction. Cancelling the task has no effect. `body` may be called again after its changes were undone.
    func write<Value: Sendable>(
        _ part: StoragePart, _ body: @escaping @Sendable (any StorageConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            write(part, body) { continuation.resume(with: $0) }
        }
    }
}

/// What a transaction writes to.
enum StoragePart: Sendable, CaseIterable {
    case events
    /// Records, subscriptions, tokens and client keys.
    case relay
    case debugLogs
    /// Entries of the audit alone; what they record has its own part.
    case audit
    /// Alerts, webhooks and their deliveries.
    case alerts

    /// The table with the row of the part's counters.
    var table: String {
        switch self {
        case .events: "event_state"
        case .relay: "relay_state"
        case .debugLogs: "debug_log_state"
        case .audit: "audit_state"
        case .alerts: "alert_state"
        }
    }
}
