import Foundation
import GRDB
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import TelemetryRelay

struct AuditStorageTests {
    private static let anna = RelayActor(token: "anna", role: .viewer, address: "192.0.2.1")

    private static func record(_ name: String) -> RelayRecord {
        var record = TelemetryRecord(recordType: "X", recordID: .init(recordName: name))
        record["clientid"] = .string("c")
        return RelayRecord(record)
    }

    @Test("Entries are numbered without gaps and found by every condition, in both orders", arguments: StorageDriver.all)
    func filters(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.open(driver, time: time) { storage in
            let start = time.now
            let entries = [
                RelayAuditEntry(.readEvents, by: Self.anna, client: "a", detail: "scenario=\"\u{e9}\"\0"),
                RelayAuditEntry(.countEvents, by: RelayActor(token: "b\u{e9}", role: .reader)),
                RelayAuditEntry(.createToken, by: .command, detail: "x"),
                RelayAuditEntry(.refuseRequest, by: Self.anna, client: "\u{e9}", status: 403),
            ]
            for entry in entries {
                try await storage.audit.append(entry)
                time.pass(1)
            }
            func numbers(
                after number: Int64? = nil, _ order: RelayEventOrder = .ascending, _ set: (inout RelayAuditFilter) -> Void
            ) async throws -> [Int64] {
                var filter = RelayAuditFilter()
                set(&filter)
                let page = try await storage.audit.page(matching: filter, after: number.map { "\($0)" }, limit: 10, order: order)
                #expect(!page.hasMore)
                return page.entries.map(\.number)
            }
            let all = try await storage.audit.page(matching: .init(), after: nil, limit: 4, order: .ascending)
            #expect(all.entries.map(\.entry) == entries && !all.hasMore)
            #expect(all.entries.map(\.number) == [1, 2, 3, 4])
            #expect(all.entries.map { $0.time.timeIntervalSince(start) } == [0, 1, 2, 3])
            let first = try await storage.audit.page(matching: .init(), after: nil, limit: 3, order: .descending)
            #expect(first.entries.map(\.number) == [4, 3, 2] && first.hasMore)
            #expect(try await numbers(after: 2, .descending) { _ in } == [1])
            #expect(try await numbers(after: 2) { _ in } == [3, 4])
            #expect(try await numbers { $0.token = "be\u{301}" } == [2])
            #expect(try await numbers { $0.client = "e\u{301}" } == [4])
            #expect(try await numbers { ($0.client, $0.includesEveryone) = ("a", true) } == [1, 2])
            #expect(try await numbers { $0.actions = [.createToken, .refuseRequest] } == [3, 4])
            #expect(try await numbers { $0.actions = [] } == [])
            #expect(try await numbers { ($0.since, $0.until) = (start + 1, start + 3) } == [2, 3])
            #expect(try await storage.usage().auditEntries == 4)
        }
    }

    @Test("Entries that are written at once are all written, each with a number of its own", arguments: StorageDriver.all)
    func concurrent(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...200 {
                    group.addTask { try await storage.audit.append(.init(.readEvents, by: .command, detail: "\(number)")) }
                }
                try await group.waitForAll()
            }
            let page = try await storage.audit.page(matching: .init(), after: nil, limit: 300, order: .ascending)
            #expect(page.entries.map(\.number) == Array(1...200))
            #expect(Set(page.entries.map(\.entry.detail)) == Set((1...200).map(String.init)))
        }
    }

    @Test("What a transaction changes and its entries are stored together, or neither", arguments: StorageDriver.all)
    func transactions(driver: StorageDriver) async throws {
        struct Refused: Error {}
        try await StorageBench.open(driver) { storage in
            func details() async throws -> [String] {
                try await storage.audit.page(matching: .init(), after: nil, limit: 100, order: .ascending).entries
                    .map { "\($0.entry.action.rawValue) \($0.entry.detail)" }
            }
            let save: @Sendable (RelayRecord, RelayRecord?) -> [RelayAuditEntry] = { saved, stored in
                [.init(.saveRecord, by: Self.anna, detail: "\(stored?.name ?? "-") \(saved.name)")]
            }
            let (a, b) = (Self.record("a"), Self.record("b"))
            _ = try await storage.records.save([a], policy: .insert, entries: save) { proposed, _ in proposed }
            // A record that conflicts has no entry, the other one has.
            _ = try await storage.records.save([a, b], policy: .insert, entries: save) { proposed, _ in proposed }
            await #expect(throws: Refused.self) {
                try await storage.records.save([a, b], policy: .overwrite, entries: save) { proposed, _ in
                    if proposed.name == "b" { throw Refused() }
                    return proposed
                }
            }
            _ = try await storage.records.save([a], policy: .overwrite, entries: save) { proposed, _ in proposed }
            #expect(try await details() == ["record.save - a", "record.save - b", "record.save a a"])
            let deletion: @Sendable (RelayRecord) -> RelayAuditEntry? = { .init(.deleteRecord, by: Self.anna, detail: $0.name) }
            await #expect(throws: Refused.self) {
                try await storage.records.delete(named: ["a", "b"], entry: deletion) { record in
                    if record.name == "b" { throw Refused() }
                    return true
                }
            }
            _ = try await storage.records.delete(named: ["x", "a", "b"], entry: deletion) { $0.name == "b" }
            #expect(try await details().dropFirst(3) == ["record.delete b"])

            _ = try await storage.events.append(.init(Sample.events(1...100)))
            let entry: @Sendable () -> RelayAuditEntry? = { .init(.deleteEvents, by: Self.anna) }
            #expect(try await storage.events.delete(matching: .init(clients: ["other"]), entry: entry) == 0)
            #expect(try await storage.events.delete(matching: .init(clients: ["c"]), entry: entry) == 100)
            #expect(try await details().dropFirst(4) == ["events.delete "])

            let tokens = RelayTokens(storage: storage.tokens)
            _ = try await tokens.create(role: .reader, name: "new one")
            await #expect(throws: RelayConfigurationError.self) { try await tokens.create(role: .host, name: "new one") }
            try await tokens.revoke("new one")
            await #expect(throws: RelayConfigurationError.self) { try await tokens.revoke("nobody") }
            #expect(try await details().dropFirst(5) == ["token.create \"new one\" role=reader", "token.revoke \"new one\""])
        }
    }

    @Test("A deletion of many blocks has one entry", arguments: StorageDriver.all)
    func manyBlocks(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            for number in 1...(2 * BlockDeletion.step + 1) {
                _ = try await storage.events.append(.init([Sample.event(number, session: "\(number)")]))
            }
            let deleted = try await storage.events.delete(matching: .all) { .init(.deleteEvents, by: Self.anna) }
            #expect(deleted == 2 * BlockDeletion.step + 1)
            #expect(try await storage.usage().auditEntries == 1)
        }
    }

    @Test("Entries are deleted by their age alone, and numbers are not used again", arguments: StorageDriver.all)
    func age(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.run(driver, time: time) { bench in
            func open(_ body: (any RelayStorage) async throws -> Void) async throws {
                try await bench.open(events: .init(capacity: 1, age: 1), { $0.auditAge = 1_000 }, body)
            }
            func numbers(_ storage: any RelayStorage) async throws -> [Int64] {
                try await storage.audit.page(matching: .init(), after: nil, limit: 100, order: .ascending).entries.map(\.number)
            }
            try await open { storage in
                for _ in 0..<3 {
                    try await storage.audit.append(.init(.readEvents, by: .command))
                    time.pass(400)
                }
                // The clock of the machine is set to another year.
                time.jump(40_000_000)
                try await storage.expire()
                #expect(try await numbers(storage) == [2, 3])
                time.pass(1_000)
                try await storage.expire()
                #expect(try await numbers(storage) == [])
                #expect(try await storage.usage().auditEntries == 0)
                try await storage.audit.append(.init(.readEvents, by: .command))
                #expect(try await numbers(storage) == [4])
            }
            guard driver.isPersistent else { return }
            time.jump(-80_000_000)
            try await open { storage in
                try await storage.expire()
                try await storage.audit.append(.init(.readEvents, by: .command))
                #expect(try await numbers(storage) == [4, 5])
            }
        }
    }

    @Test("More entries than one transaction deletes expire together")
    func manyExpire() async throws {
        let time = TestTime()
        try await StorageBench.open(.memory, time: time) { storage in
            let count = 10_500
            await withTaskGroup { group in
                for _ in 0..<count { group.addTask { try? await storage.audit.append(.init(.readEvents, by: .command)) } }
            }
            #expect(try await storage.usage().auditEntries == count)
            time.pass(401 * 86_400)
            try await storage.audit.append(.init(.readEvents, by: .command))
            try await storage.expire()
            #expect(try await storage.usage().auditEntries == 1)
        }
    }

    @Test("An entry whose transaction fails is refused; one whose transaction is repeated is written once")
    func failures() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let database = BlockTests.FailingDatabase(storage.database)
        let (configuration, clocks) = (RelayStorageConfiguration(), try await database.read(AuditLog.clocks))
        let log = AuditLog(arrival: ArrivalTime(after: clocks, age: 1_000, configuration), now: { .now })
        let audit = AuditStore(database, log: log, age: 1_000)
        database.failures.withLock { $0 = 1 }
        await #expect(throws: RelayStorageError.unavailable("the commit failed")) {
            try await audit.append(.init(.readEvents, by: .command, detail: "1"))
        }
        database.conflicts.withLock { $0 = 1 }
        try await audit.append(.init(.readEvents, by: .command, detail: "2"))
        try await audit.append(.init(.readEvents, by: .command, detail: "3"))
        // Those that wait fail with the one whose transaction fails; those of a repeated transaction are written once.
        var written = ["2", "3"]
        for (failures, conflicts) in [(1, 0), (0, 2)] {
            database.failures.withLock { $0 = failures }
            database.conflicts.withLock { $0 = conflicts }
            let new = await withTaskGroup(of: String?.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let detail = "\(failures)-\(number)"
                        return await (try? audit.append(.init(.readEvents, by: .command, detail: detail))).map { detail }
                    }
                }
                return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }
            #expect((new.count == 40) == (failures == 0))
            written += new
        }
        await audit.finish()
        let entries = try await storage.audit.page(matching: .init(), after: nil, limit: 99, order: .ascending).entries
        #expect(entries.map(\.entry.detail).sorted() == written.sorted())
        #expect(entries.map(\.number) == (1...Int64(entries.count)).map(\.self))
        try await storage.close()
    }

    @Test("Only transactions of entries alone do not wait for the disk")
    func disk() async throws {
        try await StorageBench.open(.file) { storage in
            let database = try #require(storage.tables).database
            func level(_ part: StoragePart) async throws -> Int64? {
                try await database.write(part) { try $0.int("PRAGMA synchronous") }
            }
            try await storage.audit.append(.init(.readEvents, by: .command))
            let writer = try #require(storage as? SQLiteRelayStorage).database.writer
            // 1 is NORMAL, 2 is FULL.
            #expect(try await writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 1)
            for part in [StoragePart.relay, .audit, .events, .debugLogs, .audit, .audit, .relay] {
                #expect(try await level(part) == (part == .audit ? 1 : 2))
            }
        }
        try await StorageBench.run(.file) { bench in
            try await bench.open {
                $0.survivesPowerCuts = false
            } _: { storage in
                let database = try #require(storage.tables).database
                for part in [StoragePart.audit, .events] {
                    #expect(try await database.write(part) { try $0.int("PRAGMA synchronous") } == 1)
                }
            }
        }
    }

    @Test("A closed storage refuses entries", arguments: StorageDriver.all)
    func closed(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            let storage = try await driver.open(bench.place, .init())
            try await storage.close()
            await #expect(throws: RelayStorageError.closed) { try await storage.audit.append(.init(.readEvents, by: .command)) }
        }
    }
}
