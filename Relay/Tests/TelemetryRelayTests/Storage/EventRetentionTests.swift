import Foundation
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

struct EventRetentionTests {
    @Test("A storage at capacity keeps the newest events and reports how many a reader missed", arguments: StorageDriver.all)
    func capacity(driver: StorageDriver) async throws {
        try await StorageBench.open(driver, events: .init(capacity: 10)) { storage in
            _ = try await storage.events.append(Sample.events(1...4))
            let cursor = try await storage.page(after: nil, limit: 2).cursor
            _ = try await storage.events.append(Sample.events(5...25))
            #expect(try await storage.texts() == (16...25).map(String.init))
            let page = try await storage.page(after: cursor)
            #expect(page.skipped == 13)
            #expect(page.events.count == 10)
            #expect(try await storage.page(after: page.cursor).skipped == 0)
            #expect(try await storage.page(after: nil).skipped == 0)
            #expect(try await storage.events.page(matching: .all, after: cursor, limit: 9, order: .descending).skipped == 0)
            #expect(try await storage.usage().expired == [.capacity: 15])
            // An event deleted by retention is still a duplicate.
            #expect(try await storage.events.append(Sample.events(1...25)) == .init(stored: 0, duplicates: 25))
        }
    }

    @Test("A reader of one client's events gets the number of skipped events of that client only", arguments: StorageDriver.all)
    func skippedOfClient(driver: StorageDriver) async throws {
        try await StorageBench.open(driver, events: .init(capacity: 2)) { storage in
            let start = try await storage.events.latestCursor()
            for number in 1...8 {
                _ = try await storage.events.append([Sample.event(number, client: number % 4 == 0 ? "b" : "a")])
            }
            func skipped(_ clients: Set<String>?, _ patterns: [String] = []) async throws -> Int {
                var filter = RelayEventFilter(clients: clients)
                filter.clientPatterns = patterns.map(NamePattern.init)
                return try await storage.events.page(matching: filter, after: start, limit: 9, order: .ascending).skipped
            }
            #expect(try await skipped(nil) == 6)
            #expect(try await skipped(["a"]) == 5)
            #expect(try await skipped(["b"]) == 1)
            #expect(try await skipped(["a", "b"]) == 6)
            #expect(try await skipped(["nobody"]) == 0)
            #expect(try await skipped(nil, ["a*"]) == 5)
            #expect(try await skipped(["a"], ["b*"]) == 0)
            // Events that were deleted on request do not count as missed.
            _ = try await storage.events.delete(matching: .all)
            #expect(try await skipped(nil) == 6)
        }
    }

    @Test("However many deletions there were, a reader gets the number of skipped events", arguments: StorageDriver.all)
    func combinedRuns(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open(events: .init(capacity: 1)) {
                $0.expiredRuns = 3
            } _: { storage in
                let start = try await storage.events.latestCursor()
                func skipped(_ clients: Set<String>?) async throws -> Int {
                    try await storage.events.page(
                        matching: .init(clients: clients), after: start, limit: 9, order: .ascending
                    ).skipped
                }
                for number in 1...41 {
                    _ = try await storage.events.append([Sample.event(number, client: number % 4 == 0 ? "b" : "a")])
                    if number % 9 == 0 { try await storage.expire() }
                }
                try await storage.expire()
                #expect(try await skipped(nil) == 40)
                #expect(try await skipped(["a"]) == 30)
                #expect(try await skipped(["b"]) == 10)
            }
        }
    }

    @Test("Events stay within the size limit; a single event above it is kept", arguments: StorageDriver.all)
    func bytes(driver: StorageDriver) async throws {
        let limit = 200_000
        // Cannot be compressed much.
        var random = SeededGenerator(seed: 1)
        func text(_ count: Int) -> String {
            String(decoding: (0..<count).map { _ in UInt8.random(in: 0x21...0x7e, using: &random) }, as: UTF8.self)
        }
        try await StorageBench.open(driver, events: .init(bytes: limit)) { storage in
            for batch in 0..<20 {
                _ = try await storage.events.append(
                    (0..<25).map { Sample.event(batch * 25 + $0, text: text(60 * $0)) })
                #expect(try await storage.usage().eventBytes <= limit)
            }
            let usage = try await storage.usage()
            #expect((100..<500).contains(usage.events))
            #expect(usage.expired == [.bytes: 500 - usage.events])
            _ = try await storage.events.append([Sample.event(1000, text: text(2 * limit))])
            #expect(try await storage.usage().events == 1)
            _ = try await storage.events.delete(matching: .all)
            #expect(try await storage.usage().eventBytes == 0)
        }
    }

    @Test("An event expires by its age since arrival, regardless of its timestamp", arguments: StorageDriver.all)
    func age(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open(events: .init(age: 3600)) { storage in
                _ = try await storage.events.append(Sample.events(1...2))
                bench.time.pass(3599)
                _ = try await storage.events.append(Sample.events(3...3))
                bench.time.pass(1)
                try await storage.expire()
                #expect(try await storage.texts() == ["1", "2", "3"])
                // The wall clock has no effect.
                bench.time.jump(1_000_000)
                try await storage.expire()
                #expect(try await storage.texts() == ["1", "2", "3"])
                bench.time.pass(1)
                _ = try await storage.events.append(Sample.events(4...4))
                #expect(try await storage.texts() == ["3", "4"])
                bench.time.pass(3601)
                try await storage.expire()
                #expect(try await storage.texts() == [])
                #expect(try await storage.usage().expired == [.age: 4])
            }
        }
    }

    @Test("Starts of a relay whose clock is ahead of another relay's do not add up", arguments: StorageDriver.persistent)
    func clocks(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            let retention = RelayEventRetention(age: 30 * 86_400)
            for start in 1...20 {
                for ahead in [0, 2 * 86_400] as [TimeInterval] {
                    try await bench.open(events: retention) {
                        $0.now = { [time = bench.time] in time.now.addingTimeInterval(ahead) }
                    } _: { storage in
                        _ = try await storage.events.append([Sample.event(start)])
                        try await storage.expire()
                    }
                }
            }
            let count = try await bench.open(events: retention) { try await $0.events.count(matching: .all) }
            #expect(count == 20)
        }
    }

    @Test("Time between two runs counts, a jump of the wall clock only up to half the age", arguments: StorageDriver.persistent)
    func ageAcrossRuns(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            let events = RelayEventRetention(age: 3600)
            try await bench.open(events: events) { _ = try await $0.events.append(Sample.events(1...1)) }
            bench.time.jump(1_000_000)
            try await bench.open(events: events) { storage in
                try await storage.expire()
                #expect(try await storage.texts() == ["1"])
                bench.time.pass(1801)
                try await storage.expire()
                #expect(try await storage.texts() == [])
            }
        }
    }

    @Test("An excess larger than one transaction's limit is deleted in several", arguments: StorageDriver.persistent)
    func largeExcess(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open { _ = try await $0.events.append(Sample.events(1...3000)) }
            try await bench.open(events: .init(capacity: 100)) { storage in
                _ = try await storage.events.append(Sample.events(3001...3001))
                #expect(try await storage.usage().events == 3001 - BlockRetention.step - 1)
                try await storage.expire()
                #expect(try await storage.texts() == (2902...3001).map(String.init))
            }
        }
    }

    @Test("Background work deletes expired events every minute", arguments: StorageDriver.all)
    func background(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open(events: .init(age: 90)) {
                $0.pollInterval = .seconds(20)
            } _: { storage in
                _ = try await storage.events.append(Sample.events(1...1))
                try await storage.whileRunning { () async throws in
                    for round in 1...7 {
                        await bench.clock.sleepers(atLeast: 3)
                        #expect(try await storage.usage().events == (round < 7 ? 1 : 0))
                        bench.time.pass(20)
                        bench.clock.advance(by: .seconds(20))
                    }
                }
            }
        }
    }
}
