import Foundation
import GRDB
import TelemetryModels

/// The log of changes to records. Numbers are consecutive; each is also the change tag of the saved record.
struct RecordChangeLog {
    let state: RelayState
    private(set) var next: Int64

    init(_ db: Database) throws {
        state = try RelayState.fetch(db)
        next = state.nextChange
    }

    /// The tag of the next change.
    var tag: String { String(next) }

    mutating func add(_ record: RelayRecord, replacing replaced: RelayRecord?, _ db: Database) throws {
        let previous = replaced.flatMap { $0.clientId == record.clientId ? nil : $0.clientId }
        try db.cachedStatement(
            sql: """
                INSERT INTO record_change SELECT *, \(RecordChangeBounds.size) + COALESCE((\(RecordChangeBounds.total)), 0)
                FROM (SELECT ? AS number, ? AS type, ? AS name, ? AS client, ? AS previous_client)
                """
        ).execute(arguments: [
            next, Data(record.record.recordType.utf8), Data(record.name.utf8), record.clientId.map { Data($0.utf8) },
            previous.map { Data($0.utf8) },
        ])
        next += 1
    }

    /// Saves the next number, and deletes the oldest changes beyond the bounds.
    func save(_ db: Database, keeping bounds: RecordChangeBounds) throws {
        guard next > state.nextChange else { return }
        try db.cachedStatement(sql: "UPDATE relay_state SET next_change = ? WHERE id = 1").execute(arguments: [next])
        try db.cachedStatement(sql: "DELETE FROM record_change WHERE number < ? OR number < \(RecordChangeBounds.first("?"))")
            .execute(arguments: [next - Int64(bounds.count), bounds.bytes])
    }

    var latest: RelayChangePosition { RelayChangePosition(rawValue: state.place(next - 1)) }

    func changes(after position: RelayChangePosition, limit: Int, _ db: Database) throws -> [RelayRecordChange]? {
        guard let after = state.number(ofPlace: position.rawValue, before: next) else { return nil }
        let first = try Int64.fetchOne(db, sql: "SELECT MIN(number) FROM record_change") ?? next
        guard after >= first - 1 else { return nil }
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT number, type, name, client, previous_client FROM record_change WHERE number > ? ORDER BY number LIMIT ?
                    """), arguments: [after, max(0, limit)])
        return try rows.map { row in
            func text(_ index: Int) throws -> String? {
                try row.decode(Data?.self, atIndex: index).map { String(decoding: $0, as: UTF8.self) }
            }
            return RelayRecordChange(
                position: RelayChangePosition(rawValue: state.place(try row.decode(Int64.self, atIndex: 0))),
                recordType: try text(1) ?? "", recordName: try text(2) ?? "", clientId: try text(3),
                previousClientId: try text(4))
        }
    }
}
