import Foundation
import GRDB
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// Pages of records in every kind of storage.
struct RecordPageStorageTests {
    private static func record(_ name: String, type: String = "T", _ fields: [String: TelemetryValue] = [:]) -> RelayRecord {
        var record = TelemetryRecord(recordType: type, recordID: .init(recordName: name))
        for (field, value) in fields { record[field] = value }
        return RelayRecord(record)
    }

    private static let values: [TelemetryValue] = [
        .int(.min), .int(-1), .int(0), .int(.max), .bool(false), .bool(true), .double(-.infinity), .double(-2.5), .double(-0.0),
        .double(0), .double(1e300), .double(.nan), .date(Date(timeIntervalSinceReferenceDate: -1)),
        .date(Date(timeIntervalSinceReferenceDate: 8e8)), .string(""), .string("a"), .string("A"), .string("ab"), .string("f"),
        .string("caf\u{e9}"), .string("cafe\u{301}"), .string("caff"), .string("\u{1F600}"), .string("\u{FFFD}"), .string("a\0b"),
    ]

    @Test("Pages of any size are in the query's order and contain each record once", arguments: StorageDriver.all)
    func order(driver: StorageDriver) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let records = (0..<60).map { number in
            var fields: [String: TelemetryValue] = ["odd": .bool(number % 2 == 1)]
            for field in ["created", "n"] where Int.random(in: 0..<5, using: &generator) > 0 {
                fields[field] = Self.values.randomElement(using: &generator)
            }
            return Self.record("r\(1000 + number)", fields)
        }.shuffled(using: &generator)
        try await StorageBench.open(driver) { storage in
            _ = try await storage.records.save(records, policy: .insert)
            _ = try await storage.records.save([Self.record("other", type: "U")], policy: .insert)
            for field in ["created", "n", nil] {
                for ascending in [true, false] {
                    for conditions: [String: TelemetryValue] in [[:], ["odd": true]] {
                        let query = TelemetryRecordQuery(
                            recordType: "T", conditions: conditions, sortField: field, ascending: ascending)
                        let expected = query.apply(to: records.map(\.record)).map(\.recordID.recordName)
                        for limit in [1, 7, 100] {
                            var names: [String] = []
                            var request = RelayRecordPageRequest(limit: limit)
                            request.candidates = Int.random(in: 1...20, using: &generator)
                            var hasMore = true
                            while hasMore, names.count <= records.count {
                                let page = try await storage.records.page(matching: query, of: nil, request)
                                #expect(page.records.count <= limit && (!page.hasMore || !page.records.isEmpty))
                                names += page.records.map(\.name)
                                (request.after, hasMore) = (page.cursor, page.hasMore)
                            }
                            #expect(names == expected, "\(field ?? "name") \(ascending) \(limit), seed \(seed)")
                        }
                    }
                }
            }
        }
    }

    @Test("A page ends before its bytes are exceeded", arguments: StorageDriver.all)
    func bytes(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let text = TelemetryValue.string(String(repeating: "x", count: 900))
            _ = try await storage.records.save((10..<30).map { Self.record("\($0)", ["t": text]) }, policy: .insert)
            let page = try await storage.records.page(matching: .init(recordType: "T"), of: nil, .init(bytes: 5_000))
            #expect(page.records.map(\.name) == ["10", "11", "12", "13", "14"] && page.hasMore)
            #expect(try await storage.allRecords(matching: .init(recordType: "T"), bytes: 5_000).count == 20)
            #expect(try await storage.allRecords(matching: .init(recordType: "T"), bytes: 1).count == 20)
        }
    }

    @Test("Strings and names with a long common beginning are on some page", arguments: StorageDriver.all)
    func long(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let long = String(repeating: "\u{e9}\u{301}", count: 300)
            let records = (0..<20).map { Self.record(long + "\($0)", ["created": .string(long + "\($0 % 7)")]) }
            _ = try await storage.records.save(records, policy: .insert)
            for field in ["created", nil] {
                let found = try await storage.allRecords(matching: .init(recordType: "T", sortField: field), limit: 3)
                #expect(found.map(\.name).sorted() == records.map(\.name).sorted())
            }
        }
    }

    @Test("Records on later pages are not read")
    func laterPages() async throws {
        let queue = try DatabaseQueue()
        try SQLiteSchema.migrate(queue)
        try await queue.write { db in
            for number in 1...6 {
                let record = Self.record("r\(number)", ["created": .int(Int64(number))])
                try RecordRow.store(record, RecordKeys(record), SQLiteConnection(database: db))
            }
            try db.execute(sql: "UPDATE record SET body = CAST('[]' AS BLOB) WHERE name_key < CAST('r4' AS BLOB)")
            let query = TelemetryRecordQuery(recordType: "T", sortField: "created", ascending: false)
            let page = try RecordSelection(query, of: nil).page(.init(limit: 2), SQLiteConnection(database: db))
            #expect(page.records.map(\.name) == ["r6", "r5"])
            #expect(throws: RelayStorageError.self) {
                try RecordSelection(query, of: nil).page(.init(limit: 9), SQLiteConnection(database: db))
            }
        }
    }
}
