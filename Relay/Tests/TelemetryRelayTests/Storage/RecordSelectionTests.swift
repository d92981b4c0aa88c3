import Foundation
import GRDB
import Synchronization
import TelemetryModels
import TelemetryTransport
import Testing

@testable import TelemetryRelay

struct RecordSelectionTests {
    private static let pending = TelemetryRecordQuery(
        recordType: TelemetrySchema.commandRecordType, conditions: ["clientid": "c", "status": "pending"], sortField: "created")

    private static func all(ascending: Bool) -> TelemetryRecordQuery {
        TelemetryRecordQuery(recordType: TelemetrySchema.commandRecordType, sortField: "created", ascending: ascending)
    }

    private func queue(with statuses: [String]) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try SQLiteSchema.migrate(queue)
        try queue.write { db in
            for (index, status) in statuses.enumerated() {
                var record = TelemetryRecord(
                    recordType: TelemetrySchema.commandRecordType, recordID: .init(recordName: "r\(index)"))
                record["clientid"] = "c"
                record["status"] = .string(status)
                try RecordRow.store(RelayRecord(record), RecordKeys(RelayRecord(record)), SQLiteConnection(database: db))
            }
        }
        return queue
    }

    @Test(
        "Pending commands are found by an index of the status, the next records of all clients by one of their order",
        arguments: [
            (pending, "record_by_status"), (all(ascending: true), "record_by_value"), (all(ascending: false), "record_by_value"),
        ])
    func plan(query: TelemetryRecordQuery, index: String) throws {
        let statements = Mutex<[String]>([])
        try queue(with: ["pending", "pending", "pending"]).read { db in
            let first = try RecordSelection(query, of: nil).page(.init(limit: 1), SQLiteConnection(database: db))
            db.trace { event in statements.withLock { $0.append(event.expandedDescription) } }
            _ = try RecordSelection(query, of: nil).page(.init(after: first.cursor, limit: 1), SQLiteConnection(database: db))
                .records
            db.trace()
            let plans = try statements.withLock(\.self).flatMap { statement in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(statement)").compactMap { row -> String? in row["detail"] }
            }
            #expect(plans.contains { $0.contains(index) }, "\(plans)")
            #expect(!plans.contains { $0.contains("SCAN record") || $0.hasSuffix("FOR ORDER BY") }, "\(plans)")
        }
    }

    @Test("The index follows a changed status")
    func change() throws {
        let queue = try queue(with: ["pending", "executed"])
        try queue.write { database in
            let db = SQLiteConnection(database: database)
            func pending() throws -> [String] {
                try RecordSelection(Self.pending, of: nil).page(.init(), db).records.map(\.name)
            }
            #expect(try pending() == ["r0"])
            for (name, status) in [("r0", "executed"), ("r1", "pending")] {
                let key = NameKey.data(of: name)
                var record = try #require(try RecordRow.fetch(named: [key], db)[key])
                record.record["status"] = .string(status)
                try RecordRow.store(record, RecordKeys(record), db)
            }
            #expect(try pending() == ["r1"])
        }
    }

    @Test(
        "A status matches every canonically equivalent one",
        arguments: [("caf\u{e9}", "cafe\u{301}"), ("K", "\u{212a}"), ("\u{37e}", ";"), ("", "")])
    func equivalence(stored: String, asked: String) throws {
        var query = Self.pending
        query.conditions["status"] = .string(asked)
        let found = try queue(with: [stored, "other"]).read { db in
            try RecordSelection(query, of: nil).page(.init(), SQLiteConnection(database: db)).records
        }
        #expect(found.map(\.name) == ["r0"])
    }
}
