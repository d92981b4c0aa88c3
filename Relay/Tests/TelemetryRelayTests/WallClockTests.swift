import Foundation
import GRDB
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// The effect of wall clock jumps on retention.
struct WallClockTests {
    private static let years: TimeInterval = 10 * 365 * 86_400

    private let directory = TemporaryDirectory()
    private var file: URL { directory.url.appending(path: "relay.sqlite") }

    private func events(_ storage: any DebugLogStorage) async throws -> [String] {
        try await storage.page(of: DebugLogQuery()).entries.map(\.event)
    }

    private func open(age: TimeInterval, _ time: TestTime) throws -> SQLiteDebugLogStorage {
        try SQLiteDebugLogStorage(file: file, retention: .init(age: age), now: { time.now }, uptime: { time.uptime })
    }

    @Test("A forward jump of the wall clock while the relay runs expires nothing", arguments: StorageKind.allCases)
    func forward(kind: StorageKind) async throws {
        let time = TestTime()
        try await Bench.storage(kind, retention: .init(age: 3600), time: time) { storage in
            _ = try await storage.store([Bench.entry(1)])
            time.jump(Self.years)
            try await storage.expire()
            _ = try await storage.store([Bench.entry(2)])
            #expect(try await events(storage) == ["1", "2"])
        }
    }

    @Test(
        "An entry that arrived while the wall clock was ahead expires with its neighbours",
        arguments: StorageKind.allCases)
    func ahead(kind: StorageKind) async throws {
        let time = TestTime()
        try await Bench.storage(kind, retention: .init(age: 3600), time: time) { storage in
            _ = try await storage.store([Bench.entry(1)])
            time.jump(Self.years)
            _ = try await storage.store([Bench.entry(2)])
            time.jump(-Self.years)
            _ = try await storage.store([Bench.entry(3)])
            time.pass(3601)
            _ = try await storage.store([Bench.entry(4)])
            #expect(try await events(storage) == ["4"])
        }
    }

    @Test("A wall clock that is ahead at a restart expires only entries older than half of the age")
    func restartAhead() async throws {
        let time = TestTime()
        do {
            let storage = try open(age: 3600, time)
            _ = try await storage.store([Bench.entry(1)])
            time.pass(1801)
            _ = try await storage.store([Bench.entry(2)])
            try storage.database.close()
        }
        time.jump(Self.years)
        let storage = try open(age: 3600, time)
        try await storage.expire()
        #expect(try await events(storage) == ["2"])
        // The clock is corrected and then wrong again: time that did not pass is not counted again while the relay runs.
        time.jump(-Self.years)
        try await storage.expire()
        time.jump(Self.years)
        try await storage.expire()
        #expect(try await events(storage) == ["2"])
        time.pass(1801)
        try await storage.expire()
        #expect(try await storage.count() == 0)
    }

    @Test("Time without a running relay counts, and setting the wall clock back has no effect")
    func restart() async throws {
        let time = TestTime()
        for event in 1...5 {
            let storage = try open(age: 3600, time)
            _ = try await storage.store([Bench.entry(event)])
            try storage.database.close()
            time.pass(1200)
        }
        let storage = try open(age: 3600, time)
        try await storage.expire()
        #expect(try await events(storage) == ["3", "4", "5"])
        try storage.database.close()
        time.jump(-Self.years)
        let later = try open(age: 3600, time)
        time.pass(1200)
        try await later.expire()
        #expect(try await events(later) == ["4", "5"])
    }

    @Test(
        "A file without a saved clock keeps recent entries, whatever arrival one entry has",
        arguments: [0, years, -years])
    func olderFile(claim: TimeInterval) async throws {
        let time = TestTime()
        let wall = time.now.timeIntervalSinceReferenceDate
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        do {
            let old = try DatabaseQueue(path: file.path)
            try SQLiteDebugLogStorage.migrator(now: time.now).migrate(old, upTo: "arrival")
            try await old.write { db in
                for (number, received) in [wall - 3000, wall + claim, wall - 1000].enumerated() {
                    try db.execute(
                        sql: "INSERT INTO debug_log VALUES (?, ?, ?, 0, 'ios', 'info', ?, '{}', NULL, ?, ?)",
                        arguments: [number + 1, UUID(), UUID(), "\(number + 1)", UUID(), received])
                }
            }
            try old.close()
        }
        let storage = try open(age: 3600, time)
        try await storage.expire()
        #expect(try await events(storage) == ["1", "2", "3"])
        time.pass(3601)
        _ = try await storage.store([Bench.entry(4)])
        #expect(try await events(storage) == ["4"])
    }

    @Test(
        "Damaged stored times do not affect the retention of other entries",
        arguments: ["9e999", "-9e999", "1e18", "'later'", "x'00'"])
    func damaged(value: String) async throws {
        let time = TestTime()
        let storage = try open(age: 3600, time)
        _ = try await storage.store((1...3).map { Bench.entry($0) })
        try await storage.database.write { try $0.execute(sql: "UPDATE debug_log SET received = \(value) WHERE number = 1") }
        try await storage.expire()
        #expect(try await events(storage).suffix(2) == ["2", "3"])
        time.pass(3601)
        _ = try await storage.store([Bench.entry(4)])
        #expect(try await events(storage) == ["4"])
        try await storage.database.write { try $0.execute(sql: "UPDATE debug_log_clock SET arrival = \(value), wall = \(value)") }
        try storage.database.close()
        let again = try open(age: 3600, time)
        try await again.expire()
        #expect(try await events(again) == ["4"])
        time.pass(3601)
        try await again.expire()
        #expect(try await again.count() == 0)
    }
}
