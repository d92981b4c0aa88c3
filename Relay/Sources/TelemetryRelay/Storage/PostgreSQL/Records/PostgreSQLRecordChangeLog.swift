#if PostgreSQL
import PostgreSQLClient
import TelemetryModels

/// The changes to records that a transaction makes. Numbers are consecutive; each is also the change tag of the saved record.
struct PostgreSQLRecordChangeLog {
    /// The changes of a transaction.
    struct Changes: Sendable {
        let numbers: Range<Int64>
        /// The records' clients; nil if a record has no client, which affects all readers.
        let clients: Set<String>?
    }

    private struct Entry {
        let record: RelayRecord
        let previousClient: String?
    }

    private let store: PostgreSQLStore
    private let first: Int64
    private var entries: [Entry] = []

    private init(_ store: PostgreSQLStore, first: Int64) {
        (self.store, self.first) = (store, first)
    }

    /// Takes the lock on the changes, until the end of the transaction.
    static func begin(_ connection: PostgreSQLConnection, _ store: PostgreSQLStore) async throws -> PostgreSQLRecordChangeLog {
        let first = try await connection.execute("SELECT next_change FROM relay_state WHERE id = 1 FOR UPDATE").row.int(0)
        return PostgreSQLRecordChangeLog(store, first: first)
    }

    private var next: Int64 { first + Int64(entries.count) }

    /// The tag of the next change.
    var tag: String { String(next) }

    mutating func add(_ record: RelayRecord, replacing replaced: RelayRecord?) {
        entries.append(
            Entry(
                record: record, previousClient: replaced.flatMap { $0.clientId == record.clientId ? nil : $0.clientId }))
    }

    var changes: Changes {
        let isOfAll = entries.contains { $0.record.clientId == nil }
        let clients = Set(entries.flatMap { [$0.record.clientId, $0.previousClient] }.compactMap(\.self))
        return Changes(numbers: first..<next, clients: isOfAll ? nil : clients)
    }

    /// Writes the changes, and deletes the oldest ones beyond the bounds.
    func save(_ connection: PostgreSQLConnection, keeping bounds: RecordChangeBounds) async throws {
        guard !entries.isEmpty else { return }
        func column(_ text: (Entry) -> String?) -> PostgreSQLValue {
            .byteStrings(entries.map { text($0).map { Array($0.utf8) } })
        }
        try await connection.execute(
            """
            INSERT INTO record_change
            SELECT *, SUM(\(RecordChangeBounds.size)) OVER (ORDER BY number) + COALESCE((\(RecordChangeBounds.total)), 0)
            FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[])
                AS change (number, type, name, client, previous_client)
            """,
            [
                .int64s(Array(first..<next)), column { $0.record.record.recordType }, column { $0.record.name },
                column { $0.record.clientId }, column { $0.previousClient },
            ])
        try await connection.execute("UPDATE relay_state SET next_change = $1::bigint WHERE id = 1", [.int64(next)])
        try await connection.execute(
            "DELETE FROM record_change WHERE number < $1::bigint OR number < \(RecordChangeBounds.first("$2::bigint"))",
            [.int64(next - Int64(bounds.count)), .int64(Int64(bounds.bytes))])
    }

    /// At most `limit` changes after a position; nil if they are unknown.
    static func changes(
        after position: RelayChangePosition, limit: Int, _ connection: PostgreSQLConnection, _ store: PostgreSQLStore
    ) async throws -> [RelayRecordChange]? {
        // One statement, so that a concurrent change is either in all parts of the result or in none.
        let rows = try await connection.execute(
            """
            SELECT next_change, COALESCE((SELECT MIN(number) FROM record_change), next_change), number, type, name, client,
                previous_client
            FROM relay_state LEFT JOIN (
                SELECT * FROM record_change WHERE number > $1::bigint ORDER BY number LIMIT $2::bigint
            ) AS changes ON true ORDER BY number
            """, [.int64(Self.number(of: position, store) ?? .max), .int64(Int64(max(0, limit)))]
        ).rows
        guard let state = rows.first,
            let after = store.number(ofPlace: position.rawValue, before: try state.int(0)), after >= (try state.int(1)) - 1
        else { return nil }
        return try rows.filter { !$0.isNull(2) }.map { row in
            func text(_ index: Int) -> String? { row.optionalBytes(index).map { String(decoding: $0, as: UTF8.self) } }
            return RelayRecordChange(
                position: RelayChangePosition(rawValue: store.place(try row.int(2))), recordType: text(3) ?? "",
                recordName: text(4) ?? "", clientId: text(5), previousClientId: text(6))
        }
    }

    private static func number(of position: RelayChangePosition, _ store: PostgreSQLStore) -> Int64? {
        store.number(ofPlace: position.rawValue, before: .max)
    }
}
#endif
