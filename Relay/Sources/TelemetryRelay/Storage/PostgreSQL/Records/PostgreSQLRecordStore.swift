#if PostgreSQL
import Foundation
import PostgreSQLClient
import TelemetryModels
import TelemetryTransport

/// Stores records and the log of their changes.
///
/// One transaction at a time, of all relays, changes records: the numbers of changes have no gaps, and become visible in order.
final class PostgreSQLRecordStore: RelayRecordStorage {
    private let database: PostgreSQLDatabase
    private let bounds: RecordChangeBounds
    private let notify: @Sendable (_ clients: Set<String>?) -> Void
    let announcer: ChangeAnnouncer

    /// - Parameters:
    ///   - bounds: how many changes are kept.
    ///   - next: the number of the next change.
    ///   - notify: called after each change with the affected clients; nil means all.
    init(
        _ database: PostgreSQLDatabase, keeping bounds: RecordChangeBounds, next: Int64,
        notify: @escaping @Sendable (_ clients: Set<String>?) -> Void
    ) {
        self.database = database
        self.bounds = bounds
        self.notify = notify
        announcer = ChangeAnnouncer(next: next)
    }

    func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy,
        admit: @escaping @Sendable (_ proposed: RelayRecord, _ stored: RelayRecord?) throws -> RelayRecord
    ) async throws -> RelaySaveResult {
        let keyed = records.map { (record: $0, keys: RecordKeys($0)) }
        let (result, changes) = try await database.write { [bounds, database] connection in
            var log = try await PostgreSQLRecordChangeLog.begin(connection, database.store)
            var table = try await PostgreSQLRecordTable.fetch(named: keyed.map(\.keys.name), connection)
            var result = RelaySaveResult(saved: [], failures: [])
            for (proposed, keys) in keyed {
                let stored = table[keys.name]
                var record = try admit(proposed, stored)
                if let refusal = policy.refusal(of: record.record, over: stored) {
                    result.failures.append(.init(recordName: proposed.name, refusal: refusal))
                    continue
                }
                record.record.changeTag = log.tag
                record.dateTexts = record.dateTexts.filter { record.record[$0.key]?.dateValue != nil }
                log.add(record, replacing: stored)
                table.store(record, keys)
                result.saved.append(record)
            }
            try await table.save(connection)
            try await log.save(connection, keeping: bounds)
            return (result, log.changes)
        }
        announce(changes)
        return result
    }

    func record(named name: String) async throws -> RelayRecord? {
        let key = NameKey.data(of: name)
        return try await database.read { try await PostgreSQLRecordTable.fetch(named: [key], $0)[key] }
    }

    func records(
        matching query: TelemetryRecordQuery, of clients: Set<String>?, _ request: RelayRecordPageRequest
    ) async throws -> RelayRecordPage {
        let selection = PostgreSQLRecordSelection(query, of: clients)
        if selection.isSmall { return try await database.read { try await selection.page(request, $0) } }
        return try await database.query { try await selection.page(request, $0) }
    }

    func recordUsage(of client: String, types: [String], without names: [String]) async throws -> RelayRecordUsage {
        try await database.read { try await PostgreSQLRecordTable.usage(of: client, types: types, without: names, $0) }
    }

    func deleteRecords(
        named names: [String], admit: @escaping @Sendable (RelayRecord) throws -> Bool
    ) async throws -> Int {
        let keys = names.map(NameKey.data)
        let changes = try await database.write { [bounds, database] connection in
            var log = try await PostgreSQLRecordChangeLog.begin(connection, database.store)
            var table = try await PostgreSQLRecordTable.fetch(named: keys, connection)
            for key in keys {
                guard let stored = table[key], try admit(stored) else { continue }
                log.add(stored, replacing: nil)
                table.remove(key)
            }
            try await table.save(connection)
            try await log.save(connection, keeping: bounds)
            return log.changes
        }
        announce(changes)
        return changes.numbers.count
    }

    func latestRecordChange() async throws -> RelayChangePosition {
        try await database.read { [store = database.store] connection in
            let next = try await connection.execute("SELECT next_change FROM relay_state").row.int(0)
            return RelayChangePosition(rawValue: store.place(next - 1))
        }
    }

    func recordChanges(after position: RelayChangePosition, limit: Int) async throws -> [RelayRecordChange]? {
        try await database.read { [store = database.store] connection in
            try await PostgreSQLRecordChangeLog.changes(after: position, limit: limit, connection, store)
        }
    }

    func recordHints(of clients: Set<String>?) -> AsyncStream<Void> { announcer.hints(of: clients) }

    private func announce(_ changes: PostgreSQLRecordChangeLog.Changes) {
        guard !changes.numbers.isEmpty else { return }
        announcer.announce(changes.numbers, of: changes.clients)
        notify(changes.clients)
    }
}
#endif
