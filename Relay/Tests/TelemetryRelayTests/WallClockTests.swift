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

    private func open(age: TimeInterval, _ time: TestTime) throws -> SQLiteRelayStorage {
        var configuration = RelayStorageConfiguration()
        configuration.debugLogs.age = age
        configuration.now = { time.now }
        configuration.uptime = { time.uptime }
        return try SQLiteRelayStorage(file: file, configuration: configuration)
    }

    @Test("A forward jump of the wall clock while the relay runs expires nothing", arguments: StorageDriver.all)
    func forward(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.open(driver, debugLogs: .init(age: 3600), time: time) { storage in
            _ = try await storage.debugLogs.store([Bench.entry(1)])
            time.jump(Self.years)
            try await storage.expire()
            _ = try await storage.debugLogs.store([Bench.entry(2)])
            #expect(try await storage.debugLogEvents() == ["1", "2"])
        }
    }

    @Test(
        "An entry that arrived while the wall clock was ahead expires with its neighbours",
        arguments: StorageDriver.all)
    func ahead(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.open(driver, debugLogs: .init(age: 3600), time: time) { storage in
            _ = try await storage.debugLogs.store([Bench.entry(1)])
            time.jump(Self.years)
            _ = try await storage.debugLogs.store([Bench.entry(2)])
            time.jump(-Self.years)
            _ = try await storage.debugLogs.store([Bench.entry(3)])
            time.pass(3601)
            _ = try await storage.debugLogs.store([Bench.entry(4)])
            #expect(try await storage.debugLogEvents() == ["4"])
        }
    }

    @Test("A wall clock that is ahead at a restart expires only entries older than half of the age")
    func restartAhead() async throws {
        let time = TestTime()
        do {
            let storage = try open(age: 3600, time)
            _ = try await storage.debugLogs.store([Bench.entry(1)])
            time.pass(1801)
            _ = try await storage.debugLogs.store([Bench.entry(2)])
            try await storage.close()
        }
        time.jump(Self.years)
        let storage = try open(age: 3600, time)
        try await storage.expire()
        #expect(try await storage.debugLogEvents() == ["2"])
        // The clock is corrected and then wrong again: time that did not pass is not counted again while the relay runs.
        time.jump(-Self.years)
        try await storage.expire()
        time.jump(Self.years)
        try await storage.expire()
        #expect(try await storage.debugLogEvents() == ["2"])
        time.pass(1801)
        try await storage.expire()
        #expect(try await storage.debugLogCount() == 0)
    }

    @Test("Time without a running relay counts, and setting the wall clock back has no effect")
    func restart() async throws {
        let time = TestTime()
        for event in 1...5 {
            let storage = try open(age: 3600, time)
            _ = try await storage.debugLogs.store([Bench.entry(event)])
            try await storage.close()
            time.pass(1200)
        }
        let storage = try open(age: 3600, time)
        try await storage.expire()
        #expect(try await storage.debugLogEvents() == ["3", "4", "5"])
        try await storage.close()
        time.jump(-Self.years)
        let later = try open(age: 3600, time)
        time.pass(1200)
        try await later.expire()
        #expect(try await later.debugLogEvents() == ["4", "5"])
    }

    @Test(
        "Damaged stored times do not affect the retention of other entries",
        arguments: ["9e999", "-9e999", "1e18", "'later'", "x'00'"])
    func damaged(value: String) async throws {
        let time = TestTime()
        let storage = try open(age: 3600, time)
        _ = try await storage.debugLogs.store((1...3).map { Bench.entry($0) })
        try await storage.database.writer.write {
            try $0.execute(sql: "UPDATE debug_log SET received = \(value) WHERE number = 1")
        }
        try await storage.expire()
        #expect(try await storage.debugLogEvents().suffix(2) == ["2", "3"])
        time.pass(3601)
        _ = try await storage.debugLogs.store([Bench.entry(4)])
        #expect(try await storage.debugLogEvents() == ["4"])
        try await storage.close()
    }

    @Test(
        "A file with damaged clocks is reported as corrupt",
        arguments: ["9e999", "-9e999", "1e18", "'later'", "x'00'"], ["debug_log_state", "event_state"])
    func damagedClock(value: String, table: String) async throws {
        let time = TestTime()
        let storage = try open(age: 3600, time)
        try await storage.database.writer.write { try $0.execute(sql: "UPDATE \(table) SET arrival = \(value)") }
        try await storage.close()
        let error = #expect(throws: RelayStorageError.self) { try open(age: 3600, time) }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
