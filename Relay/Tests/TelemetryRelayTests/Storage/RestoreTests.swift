import Foundation
import GRDB
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// A backup that is restored while a relay uses the database.
struct RestoreTests {
    private let directory = TemporaryDirectory()
    private let time = TestTime()
    private var file: URL { directory.url.appending(path: "relay.sqlite") }
    private var copy: URL { directory.url.appending(path: "backup.sqlite") }
    private var kept: URL { directory.url.appending(path: "kept.sqlite") }
    /// The names of all files, without those that SQLite keeps beside the database.
    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter { !$0.hasPrefix("relay.sqlite-") }
                .sorted()
        }
    }

    private func configuration(_ clock: any Clock<Duration> = ContinuousClock()) -> RelayStorageConfiguration {
        var configuration = RelayStorageConfiguration()
        configuration.now = { [time] in time.now }
        configuration.uptime = { [time] in time.uptime }
        configuration.clock = clock
        configuration.logger = Bench.logger()
        return configuration
    }

    private func open(_ clock: any Clock<Duration> = ContinuousClock()) throws -> SQLiteRelayStorage {
        try SQLiteRelayStorage(file: file, configuration: configuration(clock))
    }

    /// Backs up a database with the sample, which then gets more of everything.
    private func backUp(_ storage: SQLiteRelayStorage) async throws {
        try await StoredSample.fill(storage)
        try SQLiteFile(url: file).backUp(to: copy)
        _ = try await StoredSample.append(101...120, to: storage)
        _ = try await StoredSample.append(1...10, client: "late", to: storage)
        try await storage.parts.events.merge(after: 0)
        _ = try await storage.debugLogs.store([Bench.entry(3)])
    }

    @discardableResult
    private func restore(acceptsFaults: Bool = false) throws -> Bool {
        try SQLiteFile(url: file).restore(
            from: SQLiteFile(url: copy), keeping: kept, acceptsFaults: acceptsFaults, configuration())
    }

    @Test("After a restore, silences of clients begin anew")
    func silences() async throws {
        let storage = try open()
        try await StoredSample.addDelivery(to: storage)
        try SQLiteFile(url: file).backUp(to: copy)
        try restore()
        #expect(try await storage.tables?.database.rows("SELECT seen FROM client_seen", []).isEmpty == true)
        try await storage.close()
    }

    @Test("A running relay reads the backup's events, refuses earlier cursors, and stores lost events again")
    func events() async throws {
        let storage = try open()
        try await backUp(storage)
        let lost = try await storage.page(after: nil)
        #expect(lost.events.count == 45)
        #expect(try restore())
        await #expect(throws: RelayStorageError.invalidCursor) { try await storage.page(after: lost.events[2].cursor) }
        let page = try await storage.page(after: nil)
        #expect(page.events.count == 15)
        #expect(Set(page.events.map(\.cursor)).isDisjoint(with: lost.events.map(\.cursor)))
        #expect(try await StoredSample.append(101...130, to: storage) == .init(stored: 30, duplicates: 0))
        #expect(try await StoredSample.append(1...20, to: storage) == .init(stored: 0, duplicates: 20))
        #expect(try await StoredSample.append(1...10, client: "other", to: storage) == .init(stored: 10, duplicates: 0))
        try await storage.parts.events.merge(after: 0)
        #expect(try await storage.page(after: page.cursor).events.count == 40)
        #expect(try await storage.events.count(matching: .init(clients: ["late"])) == 0)
        #expect(try await storage.faults() == [])
        try await storage.close()
        #expect(try SQLiteFile(url: file).check().faults == [])
    }

    @Test("The replaced content is kept in a file that only its owner can read")
    func keeps() async throws {
        let storage = try open()
        try await backUp(storage)
        #expect(try restore())
        try await storage.close()
        #expect(try FileManager.default.attributesOfItem(atPath: kept.path)[.posixPermissions] as? Int == 0o600)
        #expect(try SQLiteFile(url: kept).check().faults == [])
        #expect(try names == ["backup.sqlite", "kept.sqlite", "relay.sqlite"])
        let replaced = try SQLiteRelayStorage(file: kept)
        #expect(try await replaced.sampleCount() == 45)
        try await replaced.close()
    }

    @Test("Change tags and numbers are greater than before, and earlier positions of changes are unknown")
    func numbers() async throws {
        let storage = try open()
        try await backUp(storage)
        func save(_ name: String) async throws -> Int {
            var record = TelemetryRecord(recordType: "TelemetryScenario", recordID: .init(recordName: name))
            record["clientid"] = .string("c")
            let result = try await storage.records.save([RelayRecord(record)], policy: .overwrite)
            return try #require(result.saved.first?.record.changeTag.flatMap { Int($0) })
        }
        let tag = try await save("one")
        let position = try await storage.records.latestChange()
        let newest = try await storage.debugLogs.page(of: DebugLogQuery()).newest
        try restore()
        #expect(try await storage.records.changes(after: position, limit: 10) == nil)
        #expect(try await storage.records.latestChange() != position)
        #expect(try await save("two") > tag)
        _ = try await storage.debugLogs.store([Bench.entry(9)])
        #expect(try await storage.debugLogs.page(of: DebugLogQuery()).newest > newest)
        #expect(try await storage.debugLogEvents() == ["1", "2", "9"])
        try await storage.close()
    }

    @Test("Everything that waits for a change is notified, even if nothing changed since the backup")
    func hints() async throws {
        let clock = ManualClock()
        let storage = try open(clock)
        try await StoredSample.fill(storage)
        try SQLiteFile(url: file).backUp(to: copy)
        let hints = [
            storage.events.hints(of: ["c"]), storage.records.hints(of: ["c"]), storage.tokens.hints(), storage.debugLogs.hints(),
        ]
        try await storage.whileRunning {
            try restore()
            await clock.sleepers(atLeast: 3)
            clock.advance(by: .milliseconds(999))
            for hints in hints {
                var iterator = hints.makeAsyncIterator()
                #expect(await iterator.next() != nil)
            }
        }
        try await storage.close()
    }

    @Test("A key that was bound since the backup is not bound any more within a second")
    func clientKeys() async throws {
        let clock = ManualClock()
        let storage = try open(clock)
        try await backUp(storage)
        let limiter = RateLimiter<RelayRateSource>(perMinute: 0, isShared: false, uptime: { .zero })
        let keyring = ClientKeyring(storage: storage.clientKeys, newClients: limiter)
        let first = RelayClientKey(clientId: "new", hash: Data(repeating: 1, count: 32))
        let second = RelayClientKey(clientId: "new", hash: Data(repeating: 2, count: 32))
        try await keyring.admit([first], from: "")
        var hints = storage.tokens.hints().makeAsyncIterator()
        try await storage.whileRunning {
            try restore()
            await clock.sleepers(atLeast: 3)
            clock.advance(by: .milliseconds(999))
            _ = await hints.next()
        }
        try await keyring.admit([second], from: "")
        await #expect(throws: Problem.self) { try await keyring.admit([first], from: "") }
        try await storage.close()
    }

    @Test("Tokens that were revoked since the backup are valid again, and the audit records the restore")
    func access() async throws {
        let storage = try open()
        try await backUp(storage)
        #expect(try await storage.tokens.revoke(named: "host", at: time.now))
        let cursor = try await storage.audit.page(matching: .init(), after: nil, limit: 10, order: .ascending).cursor
        try restore()
        await #expect(throws: RelayStorageError.invalidCursor, "the numbers after the backup have other entries now") {
            try await storage.audit.page(matching: .init(), after: cursor, limit: 10, order: .ascending)
        }
        #expect(try await storage.tokens.token(hash: Data(repeating: 0, count: 32))?.revoked == nil)
        let entries = try await storage.audit.page(matching: .init(), after: nil, limit: 10, order: .descending).entries
        #expect(entries.first?.entry == RelayAuditEntry(.restoreDatabase, by: .command, detail: "backup.sqlite"))
        try await storage.close()
    }

    @Test("A deletion that is in progress during a restore fails, and a merge changes nothing")
    func inProgress() async throws {
        let storage = try open()
        try await backUp(storage)
        await #expect(throws: RelayStorageError.unavailable("a backup was restored during the deletion")) {
            try await storage.parts.events.delete(matching: .init(clients: ["c"])) { try restore() }
        }
        #expect(try await storage.sampleCount() == 15)
        #expect(try await storage.faults() == [])
        try await storage.close()
    }

    @Test("Appends during a restore are stored in the replaced content, or after it")
    func concurrent() async throws {
        let storage = try open()
        try await backUp(storage)
        let numbers = (1...20).map { ($0 * 1000 + 1)...($0 * 1000 + 10) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for range in numbers { group.addTask { _ = try await StoredSample.append(range, to: storage) } }
            try await group.next()
            try restore()
            try await group.waitForAll()
        }
        let replaced = try SQLiteRelayStorage(file: kept)
        let sum = try await storage.sampleCount() - 15 + replaced.sampleCount() - 45
        #expect(sum == 200)
        try await replaced.close()
        #expect(try await storage.faults() == [])
        try await storage.close()
    }

    @Test("A damaged or strange backup is refused, and changes nothing")
    func refused() async throws {
        let storage = try open()
        try await backUp(storage)
        try await DatabaseQueue(path: copy.path).write { try $0.execute(sql: "UPDATE event_state SET events = 99") }
        let damaged = #expect(throws: RelayConfigurationError.self) { try restore() }
        #expect(damaged?.description.contains("event_state: counts 99 events, but 15 are stored") == true)
        try await DatabaseQueue(path: copy.path).write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('telemetry storage 99')")
        }
        #expect(throws: RelayStorageError.newerVersion) { try restore() }
        try FileManager.default.removeItem(at: copy)
        try await DatabaseQueue(path: copy.path).write { try $0.execute(sql: "CREATE TABLE other (id)") }
        #expect(throws: RelayConfigurationError("\(copy.path) is not a relay's database")) { try restore() }
        try Data("no database".utf8).write(to: copy)
        #expect(throws: (any Error).self) { try restore() }
        try FileManager.default.removeItem(at: copy)
        #expect(throws: RelayConfigurationError("there is no database \(copy.path)")) { try restore() }
        #expect(throws: RelayConfigurationError("\(file.path) is the database itself")) {
            try SQLiteFile(url: file).restore(from: SQLiteFile(url: file), keeping: kept, configuration())
        }
        #expect(try await storage.sampleCount() == 45)
        try await storage.close()
        #expect(try names == ["relay.sqlite"])
    }

    @Test("A damaged backup is restored if its faults are accepted")
    func faults() async throws {
        let storage = try open()
        try await backUp(storage)
        try await DatabaseQueue(path: copy.path).write {
            try $0.execute(
                sql: "UPDATE event_block SET body = x'00' WHERE id = (SELECT MIN(id) FROM event_block WHERE packed = 1)")
        }
        let refused = #expect(throws: RelayConfigurationError.self) { try restore() }
        #expect(refused?.description.contains("--accept-faults") == true)
        #expect(try restore(acceptsFaults: true))
        let faults = try await storage.faults()
        #expect(faults.count == 1 && faults[0].contains("body cannot be decoded"), "\(faults)")
        #expect(try await StoredSample.append(101...120, to: storage).stored == 20)
        try await storage.close()
    }

    @Test("A restore that fails at the end changes nothing, and no file that was there before")
    func refusedLate() async throws {
        let storage = try open()
        try await backUp(storage)
        try Data("precious".utf8).write(to: kept)
        #expect(throws: RelayConfigurationError("\(kept.path) exists already")) { try restore() }
        #expect(try Data(contentsOf: kept) == Data("precious".utf8))
        try FileManager.default.removeItem(at: kept)
        try await storage.database.writer.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('telemetry storage 99')")
        }
        #expect(throws: RelayStorageError.newerVersion) { try restore() }
        #expect(try await storage.sampleCount() == 45)
        try await storage.close()
        #expect(try names == ["backup.sqlite", "relay.sqlite"])
    }

    @Test("A new database gets the backup, and nothing is kept")
    func newDatabase() async throws {
        let storage = try open()
        try await backUp(storage)
        try await storage.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        #expect(try !restore())
        #expect(try names == ["backup.sqlite", "relay.sqlite"])
        let restored = try open()
        #expect(try await restored.sampleCount() == 15)
        #expect(try await StoredSample.append(101...120, to: restored).stored == 20)
        try await restored.close()
    }

    @Test("A damaged database is replaced; for one that SQLite cannot open, the error says what to do")
    func damagedDatabase() async throws {
        let storage = try open()
        try await backUp(storage)
        _ = try await storage.events.append(SQLiteFaultTests.events(1...500))
        // Otherwise the write-ahead log would contain intact copies of damaged pages.
        _ = try await storage.database.writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try await storage.close()
        var data = try Data(contentsOf: file)
        let middle = data.count / 2..<data.count / 2 + 65_536
        data.replaceSubrange(middle, with: Data(repeating: 0x5a, count: middle.count))
        try data.write(to: file)
        #expect(throws: (any Error).self) { try open() }
        #expect(try restore())
        let restored = try open()
        #expect(try await restored.sampleCount() == 15)
        #expect(try await restored.faults() == [])
        try await restored.close()
        #expect(try Data(contentsOf: kept)[middle].allSatisfy { $0 == 0x5a })
        try Data(repeating: 0x5a, count: 10_000).write(to: file)
        let error = #expect(throws: RelayConfigurationError.self) { try restore() }
        #expect(error?.description.contains("move \(file.path)") == true)
    }

    @Test("A restore that is killed before its end changes nothing", arguments: [UInt(50_000), 0])
    func killed(margin: UInt) async throws {
        let storage = try open()
        try await backUp(storage)
        try await storage.close()
        let size = try #require(try FileManager.default.attributesOfItem(atPath: copy.path)[.size] as? UInt)
        // Ends when the backup is copied, or when the database is written.
        let limit: UInt = margin == 0 ? size - 50_000 : size + margin
        await #expect(processExitsWith: .signal(SIGXFSZ)) {
            [file = file as URL, copy = copy as URL, kept = kept as URL, limit = limit as UInt] in
            limitFileSize(to: limit)
            _ = try SQLiteFile(url: file).restore(from: SQLiteFile(url: copy), keeping: kept, .init())
        }
        let unchanged = try open()
        #expect(try await unchanged.sampleCount() == 45)
        #expect(try await unchanged.faults() == [])
        try await unchanged.close()
    }
}
