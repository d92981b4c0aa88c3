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
        var isClosed = false
    }

    /// The entries of a transaction, which are chosen once it has the lock.
    private final class Group: Sendable {
        let waiting = Mutex<[Waiting]>([])
    }

    private static let columns = "number, time, action, token, role, address, client, detail, status"

    private let database: any StorageDatabase
    let log: AuditLog
    private let age: TimeInterval
    private let queue = Mutex(Queue())
    private let work = CoalescedWork()

    /// - Parameter age: how long entries are kept, in seconds.
    init(_ database: any StorageDatabase, log: AuditLog, age: TimeInterval) {
        (self.database, self.log, self.age) = (database, log, age)
    }

    func append(_ entry: RelayAuditEntry) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isClosed = queue.withLock { queue in
                if !queue.isClosed { queue.waiting.append(Waiting(entry: entry, continuation: continuation)) }
                return queue.isClosed
            }
            guard !isClosed else { return continuation.resume(throwing: RelayStorageError.closed) }
            work.start { while self.queue.withLock({ !$0.waiting.isEmpty }) { await self.write() } }
        }
    }

    /// Refuses later entries, and returns after those that wait.
    func finish() async {
        queue.withLock { $0.isClosed = true }
        await work.finish()
        // Those whose work did not begin any more.
        if queue.withLock({ !$0.waiting.isEmpty }) { await write() }
    }

    private func takeAll() -> [Waiting] {
        queue.withLock { queue in
            defer { queue.waiting = [] }
            return queue.waiting
        }
    }

    /// Writes the entries that wait together.
    private func write() async {
        let group = Group()
        let result: Result<Void, any Error>
        do {
            try await database.write(.audit) { [self] db in
                let entries = group.waiting.withLock { waiting in
                    waiting += takeAll()
                    return waiting.map(\.entry)
                }
                try log.write(entries, db)
            }
            result = .success(())
        } catch {
            result = .failure(error)
            // Without the database, those that wait would fail one after the other, each after a time limit.
            group.waiting.withLock { $0 += takeAll() }
        }
        for waiting in group.waiting.withLock(\.self) { waiting.continuation.resume(with: result) }
    }

    func page(
        matching filter: RelayAuditFilter, after number: Int64?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayAuditPage {
        let isAscending = order == .ascending
        var statement = Statement("SELECT \(Self.columns) FROM audit WHERE 0 = 0")
        func add(_ value: StorageValue?, _ condition: (_ parameter: String) -> String) {
            if let value { statement.sql += " AND \(condition(statement.parameter(value)))" }
        }
        add(number.map { .int($0) }) { "number \(isAscending ? ">" : "<") \($0)" }
        add(filter.since.map { .init($0) }) { "time >= \($0)" }
        add(filter.until.map { .init($0) }) { "time < \($0)" }
        add(filter.token.map { .bytes(NameKey.data(of: $0)) }) { "token_key = \($0)" }
        add(filter.client.map { .bytes(NameKey.data(of: $0)) }) { client in
            guard filter.includesEveryone else { return "client_key = \(client)" }
            let actions = RelayAuditEntry.Action.allCases.filter(\.concernsEvents)
            return "(client_key = \(client) OR (client_key IS NULL AND action IN (\(Self.list(actions)))))"
        }
        if let actions = filter.actions {
            statement.sql += actions.isEmpty ? " AND 0 = 1" : " AND action IN (\(Self.list(actions)))"
        }
        statement.sql += " ORDER BY number \(isAscending ? "ASC" : "DESC") LIMIT \(limit + 1)"
        let rows = try await database.query { [statement] in try $0.rows(statement) }
        return RelayAuditPage(entries: try rows.prefix(limit).map(Self.entry), hasMore: rows.count > limit)
    }

    private static func list(_ actions: some Sequence<RelayAuditEntry.Action>) -> String {
        actions.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
    }

    private static func entry(_ row: StorageRow) throws -> RelayStoredAuditEntry {
        func text(_ column: Int) throws -> String? {
            try row.optionalBytes(column).map { String(decoding: $0, as: UTF8.self) }
        }
        guard let time = try row.date(1), let action = RelayAuditEntry.Action(rawValue: try row.text(2)) else {
            throw RelayStorageError.corrupt("an entry of the audit cannot be read")
        }
        let role = row.values[4] == .null ? nil : RelayRole(rawValue: try row.text(4))
        return RelayStoredAuditEntry(
            number: try row.int(0), time: time,
            entry: RelayAuditEntry(
                action, by: RelayActor(token: try text(3), role: role, address: try text(5)), client: try text(6),
                detail: try text(7) ?? "", status: Int(try row.int(8))))
    }

    /// Deletes entries that are too old.
    func expire() async throws {
        while try await database.write(.audit, { [log, age] in try log.expire(age: age, $0) }) {}
    }
}
