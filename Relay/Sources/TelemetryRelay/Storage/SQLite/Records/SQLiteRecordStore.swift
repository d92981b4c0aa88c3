import Foundation
import GRDB
import TelemetryModels
import TelemetryTransport

/// Stores records and the log of their changes in SQLite tables.
final class SQLiteRecordStore: RelayRecordStorage {
    private let database: RelayDatabase
    private let bounds: RecordChangeBounds
    let announcer: ChangeAnnouncer

    /// - Parameters:
    ///   - bounds: how many changes are kept.
    ///   - next: the number of the next change.
    init(database: RelayDatabase, keeping bounds: RecordChangeBounds, next: Int64) {
        self.database = database
        self.bounds = bounds
        announcer = ChangeAnnouncer(next: next)
    }

    func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy,
        admit: @escaping @Sendable (_ proposed: RelayRecord, _ stored: RelayRecord?) throws -> RelayRecord
    ) async throws -> RelaySaveResult {
        let keyed = records.map { (record: $0, keys: RecordKeys($0)) }
        let (result, changes) = try await database.write { [bounds] db in
            var log = try RecordChangeLog(db)
            var result = RelaySaveResult(saved: [], failures: [])
            var clients: [String?] = []
            for (proposed, keys) in keyed {
                let stored = try RecordRow.fetch(named: keys.name, db)
                var record = try admit(proposed, stored)
                if let refusal = policy.refusal(of: record.record, over: stored) {
                    result.failures.append(.init(recordName: proposed.name, refusal: refusal))
                    continue
                }
                record.record.changeTag = log.tag
                record.dateTexts = record.dateTexts.filter { record.record[$0.key]?.dateValue != nil }
                try RecordRow.store(record, keys, db)
                try log.add(record, replacing: stored, db)
                result.saved.append(record)
                clients += [record.clientId, stored?.clientId ?? record.clientId]
            }
            try log.save(db, keeping: bounds)
            return (result, Changes(numbers: log.state.nextChange..<log.next, clients: clients))
        }
        announce(changes)
        return result
    }

    func record(named name: String) async throws -> RelayRecord? {
        let key = NameKey.data(of: name)
        return try await database.read { try RecordRow.fetch(named: key, $0) }
    }

    func records(
        matching query: TelemetryRecordQuery, of clients: Set<String>?, _ request: RelayRecordPageRequest
    ) async throws -> RelayRecordPage {
        let selection = RecordSelection(query, of: clients)
        return try await database.query { try selection.page(request, $0) }
    }

    func recordUsage(of client: String, types: [String], without names: [String]) async throws -> RelayRecordUsage {
        try await database.read { try RecordRow.usage(of: client, types: types, without: names, $0) }
    }

    func deleteRecords(
        named names: [String], admit: @escaping @Sendable (RelayRecord) throws -> Bool
    ) async throws -> Int {
        let keys = names.map(NameKey.data)
        let changes = try await database.write { [bounds] db in
            var log = try RecordChangeLog(db)
            var clients: [String?] = []
            for key in keys {
                guard let stored = try RecordRow.fetch(named: key, db), try admit(stored) else { continue }
                try db.cachedStatement(sql: "DELETE FROM record WHERE name_key = ?").execute(arguments: [key])
                try log.add(stored, replacing: nil, db)
                clients.append(stored.clientId)
            }
            try log.save(db, keeping: bounds)
            return Changes(numbers: log.state.nextChange..<log.next, clients: clients)
        }
        announce(changes)
        return changes.numbers.count
    }

    func latestRecordChange() async throws -> RelayChangePosition {
        try await database.read { try RecordChangeLog($0).latest }
    }

    func recordChanges(after position: RelayChangePosition, limit: Int) async throws -> [RelayRecordChange]? {
        try await database.read { try RecordChangeLog($0).changes(after: position, limit: limit, $0) }
    }

    func recordHints(of clients: Set<String>?) -> AsyncStream<Void> { announcer.hints(of: clients) }

    /// The changes of a transaction.
    private struct Changes: Sendable {
        let numbers: Range<Int64>
        /// The records' clients; nil is a record without a client, which affects all readers.
        let clients: [String?]
    }

    private func announce(_ changes: Changes) {
        let clients = Set(changes.clients.compactMap(\.self))
        announcer.announce(changes.numbers, of: changes.clients.contains(nil) ? nil : clients)
    }
}
