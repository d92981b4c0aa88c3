#if PostgreSQL
import Foundation
import PostgreSQLClient
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// As ``UpgradeTests``, for PostgreSQL. The fixture is written by the same command, with `--traits PostgreSQL` and the tests' server.
@Suite(.enabled(if: TestServer.url != nil))
struct PostgreSQLUpgradeTests {
    private static let fixtures: [Int: [UInt8]] = [
        9: PackageResources.postgresql_9_sql, 10: PackageResources.postgresql_10_sql,
        11: PackageResources.postgresql_11_sql,
    ]
    private static let next =
        PostgreSQLSchema.schema.upgrades + [
            "ALTER TABLE token ADD COLUMN team TEXT NOT NULL DEFAULT 'all'; UPDATE token SET team = 'own' WHERE role = 'host'"
        ]

    /// Runs `body` with an empty schema and a connection to it.
    private func withSchema(_ body: (_ place: URL, PostgreSQLWorker) async throws -> Void) async throws {
        try await withTemporaryDirectory { place in
            try await TestServer.withSchema(of: place) { _ in
                let connection = try await TestServer.connect(schemaOf: place)
                try await body(place, connection)
            }
        }
    }

    private static func open(_ place: URL) async throws -> PostgreSQLRelayStorage {
        let time = TestTime()
        var configuration = RelayStorageConfiguration()
        configuration.now = { time.now }
        configuration.uptime = { time.uptime }
        configuration.makeIdentifier = { "fixture\(place.lastPathComponent.filter { $0.isLetter || $0.isNumber })" }
        return try await PostgreSQLRelayStorage(url: TestServer.address(of: place), configuration: configuration)
    }

    @Test("A database of each version opens with what it had, and stores more", arguments: fixtures.keys.sorted())
    func fixture(version: Int) async throws {
        let text = try #require(Self.fixtures[version])
        try await withSchema { place, connection in
            try await connection.run(String(decoding: text, as: UTF8.self))
            let storage = try await Self.open(place)
            try await StoredSample.verify(storage)
            try await StoredSample.addDelivery(to: storage)
            try await storage.close()
        }
    }

    @Test("The fixtures have the version that this relay writes")
    func hasFixture() { #expect(Self.fixtures[PostgreSQLSchema.newest] != nil) }

    @Test("Writes the fixture of this version", .enabled(if: StoredSample.writesFixtures))
    func writeFixture() async throws {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/postgresql-\(PostgreSQLSchema.newest).sql").standardizedFileURL
        try await withSchema { place, connection in
            let storage = try await Self.open(place)
            try await StoredSample.fill(storage)
            try await storage.close()
            try Data(try await Self.text(connection).utf8).write(to: fixture)
        }
    }

    @Test("A database is upgraded with its rows, and this version then refuses it")
    func upgrade() async throws {
        try await withSchema { place, connection in
            let storage = try await Self.open(place)
            try await StoredSample.fill(storage)
            for _ in 1...2 { try await PostgreSQLSchema.migrate(storage.database.pool, upgrades: Self.next) }
            #expect(try await connection.int("SELECT COUNT(*) FROM token WHERE team = 'own'") == 1)
            #expect(try await connection.int("SELECT COUNT(*) FROM relay_migration") == Int64(1 + Self.next.count))
            try await storage.close()
            await #expect(throws: RelayStorageError.newerVersion) { try await Self.open(place) }
        }
    }

    @Test("An upgrade that fails in the middle leaves the database as it was")
    func failure() async throws {
        try await withSchema { place, connection in
            let storage = try await Self.open(place)
            try await StoredSample.fill(storage)
            let text = try await Self.text(connection)
            await #expect(throws: PostgreSQLError.self) {
                try await PostgreSQLSchema.migrate(
                    storage.database.pool, upgrades: Self.next + ["DELETE FROM token; INSERT INTO nothing VALUES (1)"])
            }
            #expect(try await Self.text(connection) == text)
            #expect(try await storage.tokens.all().count == 2)
            try await storage.close()
            try await Self.open(place).close()
        }
    }

    @Test("Relays that open a database at once upgrade it once")
    func atOnce() async throws {
        try await withSchema { place, connection in
            let storages = try await [Self.open(place), Self.open(place), Self.open(place)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for storage in storages {
                    group.addTask { try await PostgreSQLSchema.migrate(storage.database.pool, upgrades: Self.next) }
                }
                try await group.waitForAll()
            }
            #expect(try await connection.int("SELECT COUNT(*) FROM relay_migration") == Int64(1 + Self.next.count))
            for storage in storages { try await storage.close() }
        }
    }

    /// The SQL that creates the database.
    private static func text(_ connection: PostgreSQLWorker) async throws -> String {
        try await connection.use { db in
            func texts(_ sql: String) throws -> [String] { try db.rows(Statement(sql)).map { try $0.text(0) } }
            let columns = "FROM information_schema.columns WHERE table_schema = current_schema()"
            var lines = [PostgreSQLSchema.tables, "CREATE TABLE relay_migration (number integer PRIMARY KEY);"]
            lines += PostgreSQLSchema.schema.upgrades.map { "\($0);" }
            // The tables of the first version have this row.
            lines.append("DELETE FROM relay_maintainer;")
            for table in try texts("SELECT DISTINCT table_name::text \(columns) ORDER BY 1") {
                let names = try texts("SELECT column_name::text \(columns) AND table_name = '\(table)' ORDER BY ordinal_position")
                let values = names.map { "quote_nullable(\($0)::text)" }.joined(separator: " || ', ' || ")
                lines += try texts("SELECT 'INSERT INTO \(table) VALUES (' || \(values) || ');' FROM \(table) ORDER BY 1")
                for name in try texts("SELECT column_name::text \(columns) AND table_name = '\(table)' AND is_identity = 'YES'") {
                    lines.append("SELECT setval(pg_get_serial_sequence('\(table)', '\(name)'), MAX(\(name))) FROM \(table);")
                }
            }
            return lines.joined(separator: "\n") + "\n"
        }
    }
}
#endif
