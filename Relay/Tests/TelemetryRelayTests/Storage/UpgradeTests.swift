import Foundation
import GRDB
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// Databases of earlier versions, and the change to a later one.
///
/// `Fixtures` has a database of each version from which on databases are upgraded. When the version changes, write its fixture, and keep the
/// others:
///
///     TELEMETRY_WRITE_FIXTURES=1 swift test --package-path Relay --filter UpgradeTests/writeFixture
struct UpgradeTests {
    private let directory = TemporaryDirectory()
    private var file: URL { directory.url.appending(path: "relay.sqlite") }

    private static let fixtures: [Int: [UInt8]] = [
        6: PackageResources.sqlite_6_sql, 7: PackageResources.sqlite_7_sql, 8: PackageResources.sqlite_8_sql,
    ]

    @Test("A database of each version opens with what it had, and stores more", arguments: fixtures.keys.sorted())
    func fixture(version: Int) async throws {
        let text = try #require(Self.fixtures[version])
        try SQLiteDatabase.prepare(file)
        try await DatabaseQueue(path: file.path).write { try $0.execute(sql: String(decoding: text, as: UTF8.self)) }
        let storage = try SQLiteRelayStorage(file: file)
        try await StoredSample.verify(storage)
        try await StoredSample.addDelivery(to: storage)
        try await storage.close()
        #expect(try SQLiteFile(url: file).check().faults == [])
    }

    @Test("The fixtures have the version that this relay writes")
    func hasFixture() { #expect(Self.fixtures[SQLiteSchema.newest] != nil) }

    @Test(
        "Writes the fixture of this version", .enabled(if: StoredSample.writesFixtures)
    )
    func writeFixture() async throws {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/sqlite-\(SQLiteSchema.newest).sql")
        try await StoredSample.fill(try create())
        try Data(text().utf8).write(to: fixture)
    }

    // MARK: - An invented next version

    private static let next =
        SQLiteSchema.schema.upgrades + [
            "ALTER TABLE token ADD COLUMN team TEXT NOT NULL DEFAULT 'all'; UPDATE token SET team = 'own' WHERE role = 'host'"
        ]

    @Test("A database is upgraded with its rows, and this version then refuses it")
    func upgrade() async throws {
        try await fill()
        let queue = try DatabaseQueue(path: file.path)
        try SQLiteSchema.migrate(queue, upgrades: Self.next)
        let scopes = try await queue.read { try String.fetchAll($0, sql: "SELECT team FROM token ORDER BY role") }
        #expect(scopes == ["own", "all"])
        let text = try text()
        #expect(throws: RelayStorageError.newerVersion) { try SQLiteRelayStorage(file: file) }
        // Nothing is left to do.
        try SQLiteSchema.migrate(queue, upgrades: Self.next)
        #expect(try self.text() == text)
    }

    @Test("A new database has what an upgraded one has")
    func new() async throws {
        let upgraded = try DatabaseQueue()
        try SQLiteSchema.migrate(upgraded)
        try SQLiteSchema.migrate(upgraded, upgrades: Self.next)
        let new = try DatabaseQueue()
        try SQLiteSchema.migrate(new, upgrades: Self.next)
        #expect(try await new.read(Self.text) == upgraded.read(Self.text))
    }

    @Test("An upgrade that fails in the middle leaves the database as it was")
    func failure() async throws {
        try await fill()
        let text = try text()
        let queue = try DatabaseQueue(path: file.path)
        #expect(throws: DatabaseError.self) {
            try SQLiteSchema.migrate(queue, upgrades: Self.next + ["DELETE FROM token; INSERT INTO nothing VALUES (1)"])
        }
        #expect(try self.text() == text)
        let storage = try SQLiteRelayStorage(file: file)
        #expect(try await storage.tokens.all().count == 2)
        try await storage.close()
    }

    @Test("Relays that open a database at once upgrade it once", arguments: [true, false])
    func atOnce(isNew: Bool) async throws {
        if isNew { try SQLiteDatabase.prepare(file) } else { try await fill() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var configuration = Configuration()
                    configuration.busyMode = .timeout(60)
                    try SQLiteSchema.migrate(DatabaseQueue(path: file.path, configuration: configuration), upgrades: Self.next)
                }
            }
            try await group.waitForAll()
        }
        let versions = try await DatabaseQueue(path: file.path).read { db in
            (try SQLiteSchema.version(db, newest: .max), try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM grdb_migrations"))
        }
        #expect(versions == (SQLiteSchema.newest + 1, Self.fixtures.count + 1))
    }

    // MARK: - Databases as text

    private func create() throws -> SQLiteRelayStorage {
        var configuration = RelayStorageConfiguration()
        let time = TestTime()
        configuration.now = { time.now }
        configuration.uptime = { time.uptime }
        configuration.makeIdentifier = { "fixture" }
        return try SQLiteRelayStorage(file: file, configuration: configuration)
    }

    private func fill() async throws {
        let storage = try create()
        try await StoredSample.fill(storage)
        try await storage.close()
    }

    /// The SQL that creates the database.
    private func text() throws -> String { try DatabaseQueue(path: file.path).read(Self.text) }

    private static func text(_ db: Database) throws -> String {
        let tables = "FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
        var lines = try String.fetchAll(db, sql: "SELECT sql || ';' \(tables)")
        for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid") {
            let values = try db.columns(in: table).map { "quote(\"\($0.name)\")" }.joined(separator: " || ', ' || ")
            lines += try String.fetchAll(
                db, sql: "SELECT 'INSERT INTO \(table) VALUES (' || \(values) || ');' FROM \(table) ORDER BY 1")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
