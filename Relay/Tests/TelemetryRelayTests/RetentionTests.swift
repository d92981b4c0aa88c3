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
    @Test(
        "An entry expires by its age since arrival, regardless of its timestamp and of new entries",
        arguments: StorageDriver.all)
    func age(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.open(driver, debugLogs: .init(age: 3600), time: time) { storage in
            _ = try await storage.debugLogs.store([Bench.entry(1), Bench.entry(2)])
            time.pass(3599)
            _ = try await storage.debugLogs.store([Bench.entry(3)])
            time.pass(1)
            try await storage.expire()
            #expect(try await storage.debugLogEvents() == ["1", "2", "3"])
            time.pass(1)
            _ = try await storage.debugLogs.store([Bench.entry(4)])
            #expect(try await storage.debugLogEvents() == ["3", "4"])
            #expect(try await storage.usage().debugLogs.deleted == [.age: 2, .bytes: 0, .entries: 0])
            time.pass(3601)
            try await storage.expire()
            #expect(try await storage.debugLogCount() == 0)
            #expect(try await storage.usage().debugLogs.deleted[.age] == 4)
            // An earlier cursor still returns new entries.
            _ = try await storage.debugLogs.store([Bench.entry(5)])
            var query = DebugLogQuery()
            query.cursor = 4
            #expect(try await storage.debugLogs.page(of: query).entries.map(\.event) == ["5"])
        }
    }

    @Test("The storage stays within its size limit and keeps the newest entries", arguments: StorageDriver.all)
    func bytes(driver: StorageDriver) async throws {
        let limit = 1 << 20
        try await StorageBench.open(driver, debugLogs: .init(bytes: limit)) { storage in
            for batch in 0..<40 {
                let entries = (0..<50).map { number in
                    Bench.entry(batch * 50 + number, payload: ["text": .string(String(repeating: "x", count: 20 * number))])
                }
                #expect(try await storage.debugLogs.store(entries) == 50)
                #expect(try await storage.usage().debugLogs.bytes <= limit)
            }
            let kept = try await storage.debugLogCount()
            #expect((400..<2000).contains(kept))
            #expect(try await storage.usage().debugLogs.deleted == [.age: 0, .bytes: 2000 - kept, .entries: 0])
            var query = DebugLogQuery()
            query.isDescending = true
            query.limit = 3
            #expect(try await storage.debugLogs.page(of: query).entries.map(\.event) == ["1999", "1998", "1997"])
            // A single entry above the limit is kept as the only one.
            let giant = Bench.entry(0, payload: ["text": .string(String(repeating: "x", count: 2 * limit))])
            #expect(try await storage.debugLogs.store([giant]) == 1)
            #expect(try await storage.debugLogEvents() == ["0"])
        }
    }

    @Test("Events do not count as debug entries")
    func shared() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        #expect(try await storage.debugLogs.store((0..<100).map { Bench.entry($0) }) == 100)
        let alone = try await storage.usage().debugLogs
        for batch in 0..<20 { _ = try await storage.events.append(Sample.events((batch * 500)...(batch * 500 + 499))) }
        try await storage.expire()
        #expect(alone.entries == 100)
        #expect(try await storage.usage().debugLogs == alone)
        try await storage.close()
    }

    @Test("Expired entries are deleted every minute", arguments: StorageDriver.all)
    func expiry(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open(debugLogs: .init(age: 90)) { storage in
                _ = try await storage.debugLogs.store([Bench.entry(1)])
                try await storage.whileRunning {
                    for expected in [1, 1, 0] {
                        await bench.clock.sleepers(atLeast: 3)
                        let count = try await storage.debugLogCount()
                        #expect(count == expected)
                        bench.time.pass(60)
                        bench.clock.advance(by: .seconds(60))
                    }
                }
            }
        }
    }
}
