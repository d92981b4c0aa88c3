import Foundation
import TelemetryModels
import TelemetryTransport

/// Stores records and the log of their changes in the tables of a database.
final class RecordStore: RelayRecordStorage {
    private let database: any StorageDatabase
    private let bounds: RecordChangeBounds
    private let audit: AuditLog
    let announcer: ChangeAnnouncer

    /// - Parameters:
    ///   - bounds: how many changes are kept.
    ///   - next: the number of the next change.
    ///   - notify: notifies other relays of changes to records of these clients.
    init(
        _ database: any StorageDatabase, keeping bounds: RecordChangeBounds, audit: AuditLog, next: Int64,
        notify: (@Sendable (Set<String>?) -> Void)?
    ) {
        self.database = database
        self.bounds = bounds
        self.audit = audit
        announcer = ChangeAnnouncer(next: next, notify: notify)
    }

    func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy,
        entries: @escaping @Sendable (_ saved: RelayRecord, _ stored: RelayRecord?) -> [RelayAuditEntry],
        admit: @escaping @Sendable (_ proposed: RelayRecord, _ stored: RelayRecord?) throws -> RelayRecord
    ) async throws -> RelaySaveResult {
        let keyed = records.map { (record: $0, keys: RecordKeys($0)) }
        let (result, changes) = try await database.write(.relay) { [bounds, audit] db in
            var written: [RelayAuditEntry] = []
            var log = try RecordChangeLog(db)
            var all = try RecordRow.fetch(named: keyed.map(\.keys.name), db)
            var result = RelaySaveResult(saved: [], failures: [])
            for (proposed, keys) in keyed {
                let stored = all[keys.name]
                var record = try admit(proposed, stored)
                if let refusal = policy.refusal(of: record.record, over: stored) {
                    result.failures.append(.init(recordName: proposed.name, refusal: refusal))
                    continue
                }
                record.record.changeTag = log.tag
                record.dateTexts = record.dateTexts.filter { record.record[$0.key]?.dateValue != nil }
                try RecordRow.store(record, keys, db)
                try log.add(record, replacing: stored, db)
                all[keys.name] = record
                result.saved.append(record)
                written += entries(record, stored)
            }
            try log.save(db, keeping: bounds)
            try audit.write(written, db)
            return (result, log.changes)
        }
        announcer.announce(changes.numbers, of: changes.clients)
        return result
    }

    func record(named name: String) async throws -> RelayRecord? {
        try await database.rows(RecordRow.selection, [.bytes(NameKey.data(of: name))]).first.map(RecordRow.record)
    }

    func page(
        matching query: TelemetryRecordQuery, of clients: Set<String>?, _ request: RelayRecordPageRequest
    ) async throws -> RelayRecordPage {
        let selection = RecordSelection(query, of: clients)
        if selection.isSmall { return try await database.read { try selection.page(request, $0) } }
        return try await database.query { try selection.page(request, $0) }
    }

    func usage(of client: String, types: [String], without names: [String]) async throws -> RelayRecordUsage {
        try await database.read { try RecordRow.usage(of: client, types: types, without: names, $0) }
    }

    func delete(
        named names: [String], entry: @escaping @Sendable (_ deleted: RelayRecord) -> RelayAuditEntry?,
        admit: @escaping @Sendable (RelayRecord) throws -> Bool
    ) async throws -> Int {
        let keys = names.map(NameKey.data)
        let changes = try await database.write(.relay) { [bounds, audit] db in
            var entries: [RelayAuditEntry] = []
            var log = try RecordChangeLog(db)
            var all = try RecordRow.fetch(named: keys, db)
            for key in keys {
                guard let stored = all[key], try admit(stored) else { continue }
                all[key] = nil
                try db.enqueue("DELETE FROM record WHERE name_key = $1", [.bytes(key)])
                try log.add(stored, replacing: nil, db)
                if let entry = entry(stored) { entries.append(entry) }
            }
            try log.save(db, keeping: bounds)
            try audit.write(entries, db)
            return log.changes
        }
        announcer.announce(changes.numbers, of: changes.clients)
        return changes.numbers.count
    }

    func latestChange() async throws -> RelayChangePosition {
        try await database.read { try RecordChangeLog($0).latest }
    }

    func changes(after position: RelayChangePosition, limit: Int) async throws -> [RelayRecordChange]? {
        try await database.read { try RecordChangeLog($0).changes(after: position, limit: limit, $0) }
    }

    func hints(of clients: Set<String>?) -> AsyncStream<Void> { announcer.hints(of: clients) }
}
