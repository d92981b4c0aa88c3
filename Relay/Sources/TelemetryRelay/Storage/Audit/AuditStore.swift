import Foundation
import Synchronization

/// Stores entries in a table of a database.
final class AuditStore: RelayAuditStorage {
    private struct Waiting: Sendable {
        let entry: RelayAuditEntry
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Queue {
        var waiting: [Waiting] = []
        var isWriting = false
        var isClosed = false
        /// Resumed when nothing waits any more.
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    /// The entries of a transaction, which are chosen once it has the lock.
    private final class Group: Sendable {
        let waiting = Mutex<[Waiting]>([])
    }

    /// The columns that ``entry(_:)`` expects.
    static let columns = "number, time, action, token, role, address, client, detail, status"

    private let database: any StorageDatabase
    private let log: AuditLog
    private let age: TimeInterval
    private let queue = Mutex(Queue())

    /// - Parameter age: how long entries are kept, in seconds.
    init(_ database: any StorageDatabase, log: AuditLog, age: TimeInterval) {
        (self.database, self.log, self.age) = (database, log, age)
    }

    func append(_ entry: RelayAuditEntry) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let (isClosed, isFirst) = queue.withLock { queue in
                guard !queue.isClosed else { return (true, false) }
                queue.waiting.append(Waiting(entry: entry, continuation: continuation))
                defer { queue.isWriting = true }
                return (false, !queue.isWriting)
            }
            if isClosed { continuation.resume(throwing: RelayStorageError.closed) }
            if isFirst { write() }
        }
    }

    /// Refuses later entries, and returns after those that wait.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isWriting = queue.withLock { queue in
                queue.isClosed = true
                if queue.isWriting { queue.idle.append(continuation) }
                return queue.isWriting
            }
            if !isWriting { continuation.resume() }
        }
    }

    private func takeAll() -> [Waiting] {
        queue.withLock { queue in
            defer { queue.waiting = [] }
            return queue.waiting
        }
    }

    /// Writes the entries that wait together, and then those that arrived in the meantime.
    private func write() {
        let group = Group()
        // Without a task of its own, whose changes of threads cost more than the transaction.
        database.write(.audit) { [self] db in
            let entries = group.waiting.withLock { waiting in
                waiting += takeAll()
                return waiting.map(\.entry)
            }
            try log.write(entries, db)
        } done: { [self] result in
            // Without the database, those that wait would fail one after the other, each after a time limit.
            if case .failure = result { group.waiting.withLock { $0 += takeAll() } }
            for waiting in group.waiting.withLock(\.self) { waiting.continuation.resume(with: result) }
            let idle: [CheckedContinuation<Void, Never>]? = queue.withLock { queue in
                guard queue.waiting.isEmpty else { return nil }
                queue.isWriting = false
                defer { queue.idle = [] }
                return queue.idle
            }
            guard let idle else { return write() }
            for idle in idle { idle.resume() }
        }
    }

    func page(
        matching filter: RelayAuditFilter, after position: String?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayAuditPage {
        try await database.query { db in
            let (store, next) = try Self.bounds(db)
            let number = try position.map { try Self.number(of: $0, in: store, before: next) }
            let rows = try db.rows(Self.statement(filter, after: number, limit: limit, order))
            let entries = try rows.prefix(limit).map(Self.entry)
            let last = entries.last?.number ?? number ?? (order == .ascending ? 0 : next)
            return RelayAuditPage(entries: entries, cursor: store.place(last), hasMore: rows.count > limit)
        }
    }

    /// The identity of the database, and the number of the next entry.
    private static func bounds(_ db: any StorageConnection) throws -> (StoreIdentity, next: Int64) {
        let row = try db.rows("SELECT store, next FROM relay_state CROSS JOIN audit_state").first
        guard let row else { throw RelayStorageError.corrupt("audit_state is empty") }
        return (StoreIdentity(rawValue: try row.text(0)), try row.int(1))
    }

    private static func number(of position: String, in store: StoreIdentity, before next: Int64) throws -> Int64 {
        if let number = Int64(position), number >= 0 { return number }
        guard let number = store.number(ofPlace: position, before: next + 1) else { throw RelayStorageError.invalidCursor }
        return number
    }

    private static func statement(
        _ filter: RelayAuditFilter, after number: Int64?, limit: Int, _ order: RelayEventOrder
    ) -> Statement {
        let isAscending = order == .ascending
        var statement = Statement("SELECT \(columns) FROM audit WHERE 0 = 0")
        func add(_ value: StorageValue?, _ condition: (_ parameter: String) -> String) {
            if let value { statement.sql += " AND \(condition(statement.parameter(value)))" }
        }
        add(number.map { .int($0) }) { "number \(isAscending ? ">" : "<") \($0)" }
        add(filter.since.map { .int(AuditLog.milliseconds(of: $0)) }) { "time >= \($0)" }
        add(filter.until.map { .int(AuditLog.milliseconds(of: $0)) }) { "time < \($0)" }
        add(filter.token.map { .bytes(NameKey.data(of: $0)) }) { "token_key = \($0)" }
        add(filter.client.map { .bytes(NameKey.data(of: $0)) }) { client in
            guard filter.includesEveryone else { return "client_key = \(client)" }
            let actions = RelayAuditEntry.Action.allCases.filter(\.concernsEvents)
            return "(client_key = \(client) OR (client_key IS NULL AND action IN (\(list(actions)))))"
        }
        if let actions = filter.actions {
            statement.sql += actions.isEmpty ? " AND 0 = 1" : " AND action IN (\(list(actions)))"
        }
        statement.sql += " ORDER BY number \(isAscending ? "ASC" : "DESC") LIMIT \(limit + 1)"
        return statement
    }

    private static func list(_ actions: some Sequence<RelayAuditEntry.Action>) -> String {
        actions.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
    }

    static func entry(_ row: StorageRow) throws -> RelayStoredAuditEntry {
        func text(_ column: Int) throws -> String? {
            try row.optionalBytes(column).map { String(decoding: $0, as: UTF8.self) }
        }
        guard let action = RelayAuditEntry.Action(rawValue: try row.text(2)) else {
            throw RelayStorageError.corrupt("an entry of the audit cannot be read")
        }
        let role = row.values[4] == .null ? nil : RelayRole(rawValue: try row.text(4))
        return RelayStoredAuditEntry(
            number: try row.int(0), time: Date(timeIntervalSince1970: Double(try row.int(1)) / 1000),
            entry: RelayAuditEntry(
                action, by: RelayActor(token: try text(3), role: role, address: try text(5)), client: try text(6),
                detail: try text(7) ?? "", status: Int(try row.int(8))))
    }

    /// Deletes entries that are too old.
    func expire() async throws {
        while try await database.write(.audit, { [log, age] in try log.expire(age: age, $0) }) {}
    }
}
