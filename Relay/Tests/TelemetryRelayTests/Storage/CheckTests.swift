import Foundation
import GRDB
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// Damage that a check of a database finds.
struct CheckTests {
    private let directory = TemporaryDirectory()
    private var file: URL { directory.url.appending(path: "relay.sqlite") }

    /// One change to the tables, and the faults that it causes, of which the last one may be repeated.
    struct Damage: Sendable, CustomTestStringConvertible {
        let sql: String
        var values: [StorageValue] = []
        let faults: [String]

        init(_ sql: String, _ values: StorageValue..., faults: String...) {
            (self.sql, self.values, self.faults) = (sql, values, faults)
        }

        var testDescription: String { sql }
    }

    private static let bytes = StorageValue.bytes(Data("?".utf8))
    private static let oldest = "WHERE id = (SELECT MIN(id) FROM event_block)"
    private static let packed = "WHERE id = (SELECT MIN(id) FROM event_block WHERE packed = 1)"
    private static let single = "WHERE id = (SELECT MIN(id) FROM event_identity WHERE first < 0 AND stored > 0)"
    private static let copied = EventBlock.columns(with: Set(EventBlock.Part.allCases)).dropFirst("id".count)

    private static let events = [
        Damage("UPDATE event_block SET body = $1 \(packed)", bytes, faults: "body cannot be decoded"),
        Damage("UPDATE event_block SET summary = $1 \(oldest)", bytes, faults: "summary cannot be decoded"),
        Damage("UPDATE event_block SET entries = $1 \(oldest)", bytes, faults: "entries cannot be decoded"),
        Damage(
            "UPDATE event_block SET first = last + 1 \(oldest)", faults: "columns cannot be decoded", "event_state: counts",
            "event_bytes"),
        Damage("UPDATE event_block SET last = last + 1 \(oldest)", faults: "first and last"),
        Damage("UPDATE event_block SET last_second = last_second + 1 \(oldest)", faults: "first_second and last_second"),
        Damage("UPDATE event_block SET size = size + 1 \(oldest)", faults: "size is", "event_bytes"),
        Damage(
            "UPDATE event_block SET stream = 999 \(oldest)", faults: "its stream and its client", "of another client or session"),
        Damage(
            "UPDATE event_block SET words = $1 \(packed)", .bytes(Data([1, 1, 0, 0, 0, 0])), faults: "size is",
            "words are not those"),
        Damage(
            "INSERT INTO event_block (id\(copied), body) SELECT 0\(copied), body FROM event_block \(oldest)",
            faults: "are also in another block", "event_state: counts", "event_bytes", "event_identity"),
        Damage("DELETE FROM event_block \(oldest)", faults: "event_state: counts", "event_bytes"),
        Damage("UPDATE event_state SET next_event = 2", faults: "next_event"),
        Damage("UPDATE event_state SET remembered = remembered + 1", faults: "remembered"),
        Damage("UPDATE event_state SET events = events - 1", faults: "counts"),
        Damage("UPDATE event_identity SET stored = 0 \(single)", faults: "counts 0 events, but 1", "remembered"),
        Damage(
            "UPDATE event_identity SET prefix = $1 \(single)", bytes,
            faults: "does not have the identifiers"),
        Damage(
            "UPDATE event_client SET client_key = $1 WHERE client_key = $2", bytes, .bytes(Data("c".utf8)),
            faults: "of another client"),
        Damage(
            "INSERT INTO event_expired (client, first, last, count) VALUES (999, 2, 1, 1)", faults: "has no client", "not a run"),
    ]

    private static let others = [
        Damage(
            "UPDATE record SET body = $1 WHERE name_key = $2", bytes, .bytes(Data("one".utf8)),
            faults: "record \"one\": the database is corrupt"),
        Damage(
            "UPDATE record SET sort_key = $1 WHERE name_key = $2", bytes, .bytes(Data("one".utf8)),
            faults: "record \"one\": its keys"),
        Damage(
            "UPDATE relay_state SET next_change = 2", faults: "record \"two\": its change tag", "record_change 2: next_change"),
        Damage("UPDATE record_change SET total = 1 WHERE number = 2", faults: "record_change 2: total"),
        Damage("UPDATE subscription SET body = $1", bytes, faults: "subscription \"s\""),
        Damage("UPDATE token SET role = 'admin' WHERE role = 'host'", faults: "token \"host\": the role \"admin\" is not known"),
        Damage("UPDATE token SET hash = $1 WHERE role = 'host'", bytes, faults: "token \"host\": its hash"),
        Damage(
            "UPDATE token SET scope = $1 WHERE role = 'host'", .bytes(Data("{}".utf8)), faults: "token \"host\": the database"),
        Damage("UPDATE client_secret SET hash = $1", bytes, faults: "client_secret \"c\""),
        Damage("UPDATE debug_log SET payload = '?' WHERE number = 1", faults: "debug_log 1"),
        Damage("DELETE FROM debug_log WHERE number = 1", faults: "counts 2 entries, but there are 1", "bytes is"),
        Damage("DELETE FROM audit WHERE number = 2", faults: "audit 3: the entries before it are missing from 2 on"),
        Damage("UPDATE audit_state SET next = next + 1", faults: "audit_state: next"),
        Damage("UPDATE audit SET action = '?' WHERE number = 1", faults: "audit 1: the database is corrupt"),
        Damage("DELETE FROM relay_state", faults: "events:", "records:"),
        Damage("DELETE FROM alert_state", faults: "alert_state: has no row", "alert_state is empty"),
        Damage(
            "INSERT INTO alert VALUES ($1, $1, $2, NULL, NULL, 1, 99, $3, NULL)", bytes,
            .bytes(Data(#"{"query":"x","webhook":"w"}"#.utf8)), .bytes(Data("[]".utf8)), faults: "since is not"),
        Damage(
            "INSERT INTO alert VALUES ($1, $1, $1, NULL, NULL, 1, 1, $1, NULL)", bytes, faults: "alert \"?\": "),
        Damage(
            "INSERT INTO webhook (name_key, name, url, secret, created) VALUES ($1, $1, 'https://a.test', $1, 0)", bytes,
            faults: "webhook 1: the database is corrupt"),
    ]

    @Test("What relays store has no faults, compressed or not, before and after deletions", arguments: StorageDriver.all)
    func intact(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open(events: RelayEventRetention(capacity: 12)) { storage in
                #expect(try await storage.faults() == [])
                try await StoredSample.fill(storage)
                #expect(try await storage.faults() == [])
                try await #require(storage.tables).events.merge(after: 0)
                _ = try await StoredSample.append(31...50, to: storage)
                #expect(try await storage.faults() == [])
                #expect(try await storage.sampleCount() == 12)
            }
        }
    }

    @Test("Damage is found, one line for each fault", arguments: StorageDriver.persistent, events + others)
    func damaged(driver: StorageDriver, damage: Damage) async throws {
        try await StorageBench.open(driver) { storage in
            try await StoredSample.fill(storage)
            let database = try #require(storage.tables).database
            try await database.write(.events) { _ = try $0.execute(damage.sql, damage.values) }
            let faults = try await storage.faults()
            #expect(faults.count >= damage.faults.count, "\(faults)")
            for (index, fault) in faults.enumerated() {
                #expect(fault.contains(damage.faults[min(index, damage.faults.count - 1)]))
            }
        }
    }

    @Test("Damaged pages are found while a relay uses the file, and nothing is written")
    func pages() async throws {
        let storage = try SQLiteRelayStorage(file: file)
        try await StoredSample.fill(storage)
        _ = try await storage.database.writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        let intact = try SQLiteFile(url: file).check()
        #expect(intact.faults == [])
        #expect(
            intact.summary
                == "checked 15 events, 3 blocks, 2 records, 2 tokens, 1 client keys, 2 debug logs, 3 audit entries, 0 webhooks, 0 alerts: no faults"
        )
        // The index of tokens no longer has what the table has.
        try await storage.database.writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA writable_schema = ON")
            try db.execute(
                sql:
                    "UPDATE sqlite_schema SET sql = replace(sql, 'prefix, first)', 'first, prefix)') WHERE name = 'event_identity'"
            )
        }
        try await storage.close()
        let data = try Data(contentsOf: file)
        let report = try SQLiteFile(url: file).check()
        #expect(report.faults.contains { $0.hasPrefix("SQLite: ") })
        #expect(report.summary.hasSuffix("faults"))
        #expect(try Data(contentsOf: file) == data)
    }

    @Test("A file that is not a database, or has no tables, is a fault")
    func strange() throws {
        try SQLiteDatabase.prepare(file)
        try Data(repeating: UInt8(ascii: "?"), count: 4096).write(to: file)
        #expect(try SQLiteFile(url: file).check().faults.count == 1)
        try Data().write(to: file)
        #expect(try SQLiteFile(url: file).check().faults == ["there are no tables of a relay"])
    }
}
