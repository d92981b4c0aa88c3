import Foundation
import GRDB
import ServiceLifecycleTestKit
import Synchronization
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

struct RetentionTests {
    private func events(_ storage: any DebugLogStorage) async throws -> [String] {
        try await storage.page(of: DebugLogQuery()).entries.map(\.event)
    }

    @Test(
        "An entry expires by its age since arrival, regardless of its timestamp and of new entries",
        arguments: StorageKind.allCases)
    func age(kind: StorageKind) async throws {
        let time = TestTime()
        let metrics = RelayMetrics()
        try await Bench.storage(kind, retention: .init(age: 3600), metrics: metrics, time: time) { storage in
            _ = try await storage.store([Bench.entry(1), Bench.entry(2)])
            time.pass(3599)
            _ = try await storage.store([Bench.entry(3)])
            time.pass(1)
            try await storage.expire()
            #expect(try await events(storage) == ["1", "2", "3"])
            time.pass(1)
            _ = try await storage.store([Bench.entry(4)])
            #expect(try await events(storage) == ["3", "4"])
            #expect(metrics.deleted == [.age: 2, .bytes: 0, .entries: 0])
            time.pass(3601)
            try await storage.expire()
            #expect(try await storage.count() == 0)
            #expect(metrics.deleted[.age] == 4)
            // An earlier cursor still returns new entries.
            _ = try await storage.store([Bench.entry(5)])
            var query = DebugLogQuery()
            query.cursor = 4
            #expect(try await storage.page(of: query).entries.map(\.event) == ["5"])
        }
    }

    @Test("The storage stays within its size limit and keeps the newest entries", arguments: StorageKind.allCases)
    func bytes(kind: StorageKind) async throws {
        let limit = 1 << 20
        let metrics = RelayMetrics()
        try await Bench.storage(kind, retention: .init(bytes: limit), metrics: metrics) { storage in
            for batch in 0..<40 {
                let entries = (0..<50).map { number in
                    Bench.entry(batch * 50 + number, payload: ["text": .string(String(repeating: "x", count: 20 * number))])
                }
                #expect(try await storage.store(entries) == 50)
                #expect(try await storage.usage().bytes <= limit)
            }
            let kept = try await storage.count()
            #expect((400..<2000).contains(kept))
            #expect(metrics.deleted == [.age: 0, .bytes: 2000 - kept, .entries: 0])
            var query = DebugLogQuery()
            query.isDescending = true
            query.limit = 3
            #expect(try await storage.page(of: query).entries.map(\.event) == ["1999", "1998", "1997"])
            // A single entry above the limit is kept as the only one.
            let giant = Bench.entry(0, payload: ["text": .string(String(repeating: "x", count: 2 * limit))])
            #expect(try await storage.store([giant]) == 1)
            #expect(try await events(storage) == ["0"])
        }
    }

    @Test("Events in the same file do not count as debug entries")
    func shared() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let file = directory.appending(path: "relay.sqlite")
            let storage = try SQLiteDebugLogStorage(file: file, retention: .init(bytes: 100_000))
            #expect(try await storage.store((0..<100).map { Bench.entry($0) }) == 100)
            let alone = try await storage.usage().bytes
            let telemetry = try SQLiteRelayStorage(file: file)
            for batch in 0..<20 { _ = try await telemetry.append(Sample.events((batch * 500)...(batch * 500 + 499))) }
            for number in 0..<200 {
                _ = try await telemetry.append([Sample.event(number, client: "client \(number)")])
            }
            try await telemetry.close()
            try await storage.expire()
            #expect(try await storage.usage() == DebugLogUsage(entries: 100, bytes: alone))
        }
    }

    @Test("Entries of a database without arrival times count as arrived when it is opened")
    func migrated() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let file = directory.appending(path: "relay.sqlite")
            let time = TestTime()
            do {
                let old = try DatabaseQueue(path: file.path)
                try SQLiteDebugLogStorage.migrator(now: time.now).migrate(old, upTo: "debug logs")
                try await old.write { db in
                    let insert = "INSERT INTO debug_log VALUES (?, ?, ?, 0, 'ios', 'info', ?, '{}', NULL, ?)"
                    for number in 1...2 {
                        try db.execute(sql: insert, arguments: [number, UUID(), UUID(), "\(number)", UUID()])
                    }
                }
                try old.close()
            }
            let storage = try SQLiteDebugLogStorage(
                file: file, retention: .init(age: 60), now: { time.now }, uptime: { time.uptime })
            time.pass(59)
            _ = try await storage.store([Bench.entry(3)])
            #expect(try await events(storage) == ["1", "2", "3"])
            time.pass(2)
            try await storage.expire()
            #expect(try await events(storage) == ["3"])
        }
    }

    @Test("Expired entries are deleted every minute until the relay shuts down")
    func expiry() async throws {
        let time = TestTime()
        let clock = ManualClock()
        let metrics = RelayMetrics()
        let storage = try SQLiteDebugLogStorage(inMemory: .init(age: 90), metrics: metrics, uptime: { time.uptime })
        _ = try await storage.store([Bench.entry(1)])
        try await testGracefulShutdown { trigger in
            async let ends: Void = DebugLogExpiry(
                storage: storage, metrics: metrics, logger: Bench.logger(), clock: clock
            ).run()
            for expected in [1, 1, 0] {
                await clock.sleepers()
                #expect(clock.timeToNextWake == .seconds(60))
                #expect(try await storage.usage().entries == expected)
                time.pass(60)
                clock.advance(by: .seconds(60))
            }
            trigger.triggerGracefulShutdown()
            try await ends
        }
    }
}
