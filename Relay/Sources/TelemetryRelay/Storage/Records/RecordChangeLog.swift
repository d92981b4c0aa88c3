import Foundation
import TelemetryModels

/// The log of changes to records. Numbers are consecutive; each is also the change tag of the saved record.
struct RecordChangeLog {
    /// The changes of a transaction.
    struct Changes: Sendable {
        let numbers: Range<Int64>
        /// The records' clients; nil if a record has no client, which affects all readers.
        let clients: Set<String>?
    }

    private let store: StoreIdentity
    private let first: Int64
    private var next: Int64
    /// The total of the newest change; nil before the first one is added.
    private var total: Int64?
    private var clients: Set<String>? = []

    init(_ db: any StorageConnection) throws {
        guard let state = try RelayState.fetch(db) else { throw RelayStorageError.corrupt("relay_state is empty") }
        (store, first, next) = (state.store, state.nextChange, state.nextChange)
    }

    /// The tag of the next change.
    var tag: String { String(next) }

    var changes: Changes { Changes(numbers: first..<next, clients: clients) }

    mutating func add(_ record: RelayRecord, replacing replaced: RelayRecord?, _ db: any StorageConnection) throws {
        let previous = replaced.flatMap { $0.clientId == record.clientId ? nil : $0.clientId }
        let texts = [record.record.recordType, record.name, record.clientId, previous].map { $0.map { Data($0.utf8) } }
        let size = Int64(RecordChangeBounds.overhead + texts.reduce(0) { $0 + ($1?.count ?? 0) })
        let total =
            try (total ?? db.int("SELECT total FROM record_change ORDER BY number DESC LIMIT 1") ?? 0) + size
        self.total = total
        try db.enqueue(
            """
            INSERT INTO record_change (number, type, name, client, previous_client, total) VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [.int(next)] + texts.map { StorageValue($0) } + [.int(total)])
        next += 1
        let affected = [record.clientId, replaced.map { $0.clientId } ?? record.clientId]
        clients = affected.contains(nil) ? nil : clients?.union(affected.compactMap(\.self))
    }

    /// Saves the next number, and deletes the oldest changes beyond the bounds.
    func save(_ db: any StorageConnection, keeping bounds: RecordChangeBounds) throws {
        guard let total else { return }
        try db.enqueue("UPDATE relay_state SET next_change = $1 WHERE id = 1", [.int(next)])
        try db.enqueue(
            """
            DELETE FROM record_change
            WHERE number < $1 OR number < (SELECT MIN(number) FROM record_change WHERE total > $2)
            """, [.int(next - Int64(bounds.count)), .int(total - Int64(bounds.bytes))])
    }

    var latest: RelayChangePosition { RelayChangePosition(rawValue: store.place(next - 1)) }

    func changes(
        after position: RelayChangePosition, limit: Int, _ db: any StorageConnection
    ) throws -> [RelayRecordChange]? {
        guard let after = store.number(ofPlace: position.rawValue, before: next) else { return nil }
        let first = try db.int("SELECT MIN(number) FROM record_change") ?? next
        guard after >= first - 1 else { return nil }
        let rows = try db.rows(
            "SELECT number, type, name, client, previous_client FROM record_change WHERE number > $1 ORDER BY number LIMIT $2",
            [.int(after), .init(max(0, limit))])
        return try rows.map { row in
            func text(_ column: Int) throws -> String? {
                try row.optionalBytes(column).map { String(decoding: $0, as: UTF8.self) }
            }
            return RelayRecordChange(
                position: RelayChangePosition(rawValue: store.place(try row.int(0))), recordType: try text(1) ?? "",
                recordName: try text(2) ?? "", clientId: try text(3), previousClientId: try text(4))
        }
    }
}
