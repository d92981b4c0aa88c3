import Foundation
import GRDB
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// Full disks, damaged files and killed relays.
struct SQLiteFaultTests {
    private let directory = TemporaryDirectory()
    private var file: URL { directory.url.appending(path: "relay.sqlite") }

    static func events(_ range: ClosedRange<Int>) -> [SampleEvent] {
        range.map { Sample.event($0, text: String(repeating: "x", count: 1000)) }
    }

    @Test("A full disk stores nothing of a batch or a save; with space again, both are stored", arguments: [0, 1, 5, 13])
    func full(pages: Int) async throws {
        let storage = try SQLiteRelayStorage(file: file)
        _ = try await storage.events.append(Self.events(1...10))
        let writer = storage.database.writer
        // Limits the writing connection to this many new pages, which are too few.
        try await writer.write { db in
            let used = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(used + pages)")
        }
        await #expect(throws: RelayStorageError.full) { try await storage.events.append(Self.events(1...100)) }
        #expect(try await storage.usage().events == 10)
        #expect(try await storage.texts().count == 10)
        let records = (0..<100).map { number in
            var record = TelemetryRecord(recordType: "T", recordID: .init(recordName: "\(number)"))
            record["text"] = .string(String(repeating: "x", count: 1000))
            return RelayRecord(record)
        }
        await #expect(throws: RelayStorageError.full) { try await storage.records.save(records, policy: .insert) }
        #expect(try await storage.usage().records == 0)
        try await writer.write { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
        #expect(try await storage.events.append(Self.events(1...100)) == .init(stored: 90, duplicates: 10))
        #expect(try await storage.records.save(records, policy: .insert).saved.count == 100)
        #expect(try await storage.texts(.init(clients: ["c"])).count == 100)
        try await storage.close()
    }

    @Test("A batch that cannot be stored fails alone")
    func badBatch() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let writer = storage.database.writer
        try await writer.write { db in
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER bad BEFORE INSERT ON main.event_block WHEN instr(new.summary, CAST('bad' AS BLOB))
                    BEGIN SELECT RAISE(ABORT, 'bad'); END
                    """)
        }
        let results = await withTaskGroup(of: RelayAppendResult?.self) { group in
            for task in 0..<20 {
                group.addTask {
                    try? await storage.events.append([
                        Sample.event(task), Sample.event(100 + task, session: "s\(task)", name: task == 7 ? "bad" : "n"),
                    ])
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.filter { $0 == .init(stored: 2, duplicates: 0) }.count == 19)
        #expect(results.filter { $0 == nil }.count == 1)
        #expect(try await storage.texts(.init(clients: ["c"])).count == 38)
        try await storage.close()
    }

    @Test("A storage that opens on a full disk can be read")
    func opensOnFullDisk() async throws {
        let first = try SQLiteRelayStorage(file: file)
        _ = try await first.events.append(Self.events(1...2))
        _ = try await first.debugLogs.store(DurabilityTests.entries(1...2))
        // Makes every later write fail, as if there were no space for another page.
        try await first.database.writer.write { db in
            for table in ["event_state", "debug_log_state"] {
                for event in ["INSERT", "UPDATE", "DELETE"] {
                    try db.execute(
                        sql: """
                            CREATE TRIGGER full_\(table)_\(event) BEFORE \(event) ON \(table)
                            BEGIN SELECT RAISE(ABORT, 'full'); END
                            """)
                }
            }
        }
        try await first.close()
        let storage = try SQLiteRelayStorage(file: file)
        #expect(try await storage.texts().count == 2)
        await #expect(throws: RelayStorageError.refused("full")) { try await storage.events.append(Self.events(3...3)) }
        #expect(try await storage.debugLogEvents() == ["1", "2"])
        await #expect(throws: RelayStorageError.refused("full")) {
            try await storage.debugLogs.store(DurabilityTests.entries(3...3))
        }
        let usage = try await storage.usage()
        #expect(usage.events == 2 && usage.debugLogs.entries == 2)
        try await storage.close()
    }

    enum Damage: CaseIterable { case garbage, header, middle, truncated, text }

    @Test("A damaged file is reported as corrupt and not changed", arguments: Damage.allCases)
    func damaged(damage: Damage) async throws {
        let storage = try SQLiteRelayStorage(file: file)
        _ = try await storage.events.append(Self.events(1...500))
        // Otherwise the write-ahead log would contain intact copies of damaged pages.
        _ = try await storage.database.writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try await storage.close()
        var data = try Data(contentsOf: file)
        switch damage {
        case .garbage: data = Data((0..<data.count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        case .header: data.replaceSubrange(0..<16, with: Data(repeating: 0, count: 16))
        case .middle:
            data.replaceSubrange((data.count / 2)..<(data.count / 2 + 65536), with: Data(repeating: 0x5a, count: 65536))
        case .truncated: data = data.prefix(data.count / 2)
        case .text: data = Data("not a database at all\n".utf8)
        }
        try data.write(to: file)
        let error = #expect(throws: RelayStorageError.self) { try SQLiteRelayStorage(file: file) }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: file) == data)
    }

    @Test(
        "A file from a later or an earlier version is refused",
        arguments: [
            ("telemetry storage 99", RelayStorageError.newerVersion), ("telemetry storage 4", .olderVersion),
            ("telemetry blocks 1", .olderVersion), ("debug logs", .olderVersion),
        ])
    func otherVersion(migration: String, error: RelayStorageError) async throws {
        let storage = try SQLiteRelayStorage(file: file)
        try await storage.database.writer.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [migration])
        }
        try await storage.close()
        #expect(throws: error) { try SQLiteRelayStorage(file: file) }
    }

    @Test("A closed storage refuses every call")
    func closed() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        try await storage.close()
        await #expect(throws: RelayStorageError.closed) { try await storage.events.append(Self.events(1...1)) }
        await #expect(throws: RelayStorageError.closed) { try await storage.texts() }
        await #expect(throws: RelayStorageError.closed) { try await storage.check() }
    }

    @Test("A relay that is killed during a batch keeps all acknowledged data, and nothing of that batch")
    func killed() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as URL] in
            let storage = try SQLiteRelayStorage(file: file)
            for batch in 0..<10 { _ = try await storage.events.append(SQLiteFaultTests.events((batch * 10)...(batch * 10 + 9))) }
            try await storage.database.writer.write {
                try $0.killProcess(afterInsertInto: "event_block", when: "new.last_second = 150")
            }
            _ = try await storage.events.append(SQLiteFaultTests.events(100...150))
        }
        let storage = try SQLiteRelayStorage(file: file)
        #expect(try await storage.usage().events == 100)
        #expect(try await storage.events.append(Self.events(0...150)) == .init(stored: 51, duplicates: 100))
        #expect(try await storage.events.count(matching: .init(sessionId: "s")) == 151)
        try await storage.close()
    }
}
