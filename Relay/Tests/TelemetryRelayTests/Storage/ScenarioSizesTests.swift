import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// How many events each scenario has, and how much they take.
struct ScenarioSizesTests {
    private static let hour: TimeInterval = 3_600

    @Test("The events of each scenario are added up, with when they expire by their rule", arguments: StorageDriver.all)
    func sizes(driver: StorageDriver) async throws {
        let rules = try RelayEventRetention(age: 24 * Self.hour, rules: [RetentionRule("Debug*=2h")])
        let time = TestTime()
        let start = time.now
        try await StorageBench.open(driver, events: rules, time: time) { storage in
            #expect(try await storage.events.scenarioSizes().sizes == [])
            let long = "Debug" + String(repeating: "y", count: 100)
            func append(_ numbers: ClosedRange<Int>, _ scenarios: [String?]) async throws {
                let events = numbers.map { number in
                    let scenario = scenarios[number % scenarios.count]
                    return TelemetryEvent(
                        eventId: "e\(number)", clientId: "c\(number % 2)", sessionId: "s", name: "n\(number % 3)",
                        timestamp: Date(timeIntervalSince1970: 1), threadId: "t",
                        property1: String(repeating: "x", count: scenario == "Net" ? 400 : 20), scenario: scenario)
                }
                _ = try await storage.events.append(WireEventLines.read(EventLines.encode(events), limits: .init()))
            }
            try await append(0...79, ["Net", nil, "Net", long])
            time.pass(Self.hour)
            try await append(80...99, [long])
            // Repeated characters take few bytes once they are compressed.
            let found = try await storage.events.scenarioSizes().sizes
            #expect(found.map(\.bytes) == found.map(\.bytes).sorted(by: >))
            let sizes = found.sorted { ($0.scenario ?? "~") < ($1.scenario ?? "~") }
            #expect(sizes.map(\.scenario) == [long, "Net", nil])
            #expect(sizes.map(\.events) == [40, 40, 20])
            let bytes = try await storage.usage().eventBytes
            let total = Int(sizes.reduce(0) { $0 + $1.bytes })
            #expect((bytes / 2...bytes).contains(total), "\(total) of \(bytes)")
            func hours(_ date: Date) -> Double { (date.timeIntervalSince(start) / Self.hour * 100).rounded() / 100 }
            #expect(sizes.map { hours($0.firstExpires) } == [2, 24, 24])
            #expect(sizes.map { hours($0.lastExpires) } == [3, 24, 24])
            // What expires is what was said to.
            time.pass(1.01 * Self.hour)
            try await storage.expire()
            let kept = try await storage.events.scenarioSizes().sizes
            #expect(kept.first { $0.scenario == long }?.events == 20 && kept.count == 3)
            time.pass(Self.hour)
            try await storage.expire()
            let rest = try await storage.events.scenarioSizes().sizes
            #expect(Set(rest.map(\.scenario)) == ["Net", nil])
        }
    }

    @Test("Of more than 10,000 scenarios, the smallest are left out")
    func tooMany() async throws {
        try await StorageBench.open(.memory) { storage in
            for batch in 0..<3 {
                _ = try await storage.events.append(
                    (0..<4_000).map { Sample.event(4_000 * batch + $0, scenario: "s\(4_000 * batch + $0)") })
                #expect(try await storage.events.scenarioSizes().hasMore == (batch == 2))
            }
            _ = try await storage.events.append((12_000..<12_050).map { Sample.event($0, scenario: "Checkout") })
            let sizes = try await storage.events.scenarioSizes().sizes
            #expect(sizes.count == 10_000)
            #expect(sizes.first?.scenario == "Checkout" && sizes.first?.events == 50)
            #expect(sizes.dropFirst().allSatisfy { $0.events == 1 })
        }
    }

    @Test("Scenarios whose names have more than 4 MiB together are left out")
    func namesTooLong() async throws {
        try await StorageBench.open(.memory) { storage in
            func append(_ scenarios: [String]) async throws {
                let events = scenarios.map { scenario in
                    TelemetryEvent(
                        eventId: "e\(scenario.prefix(9))", clientId: "c", sessionId: "s", name: "n",
                        timestamp: Date(timeIntervalSince1970: 1), threadId: "t", scenario: scenario)
                }
                _ = try await storage.events.append(WireEventLines.read(EventLines.encode(events), limits: .init()))
            }
            for batch in 0..<3 {
                try await append((0..<60).map { "\(batch).\($0)" + String(repeating: "x", count: 30_000) })
            }
            try await append(["short"])
            let found = try await storage.events.scenarioSizes()
            #expect(found.hasMore)
            let bytes = found.sizes.reduce(0) { $0 + ($1.scenario?.utf8.count ?? 0) }
            #expect((4_150_000...ScenarioSizes.maximumBytes).contains(bytes), "\(bytes)")
            #expect(found.sizes.contains { $0.scenario == "short" })
        }
    }

    @Test("The long names of a block's scenarios are read together")
    func longNames() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let name = String(repeating: "s", count: 70)
        let events = (0..<200).map { number in
            TelemetryEvent(
                eventId: "e\(number)", clientId: "c", sessionId: "s", name: "n", timestamp: Date(timeIntervalSince1970: 1),
                threadId: "t", scenario: "\(name)\(number)")
        }
        let short = TelemetryEvent(
            eventId: "short", clientId: "c", sessionId: "t", name: "n", timestamp: Date(timeIntervalSince1970: 1), threadId: "t",
            scenario: "short")
        _ = try await storage.events.append(WireEventLines.read(EventLines.encode(events + [short]), limits: .init()))
        try await storage.database.read { db in
            let counting = CountingConnection(base: db)
            var sizes = ScenarioSizes(in: 0...1_000)
            try sizes.addAll(counting)
            let limits = ScenarioLimits(try RelayEventRetention(rules: [RetentionRule("\(name)1*=1h,1MB")]))
            let found = sizes.sizes(limits, now: Date(), arrival: 0)
            #expect(Set(found.map(\.scenario)) == Set((0..<200).map { "\(name)\($0)" } + ["short"]))
            #expect(counting.statements < 20)
            var indices: [Int] = []
            var known: [Data: Int] = [:]
            try BlockReader(counting, EventSelection(.all)) { _ in [] }
                .forEachBlock(in: 0...1_000, .ascending, [.summary, .entries]) { block in
                    indices += try limits.indices(of: block, block.summary(), counting, known: &known)
                    return true
                }
            #expect(indices.count { $0 == 0 } == 111 && indices.count == 201)
            #expect(counting.statements < 40)

            // Beyond what is read of texts, only short names are listed.
            var short = ScenarioSizes(in: 0...1_000, textBytes: 0)
            try short.addAll(counting)
            #expect(short.sizes(limits, now: Date(), arrival: 0).map(\.scenario) == ["short"])
            #expect(short.hasMore)
            // The scenario with the largest size is kept, however many come after it.
            var few = ScenarioSizes(in: 0...1_000, maximumParts: 4)
            try few.addAll(counting)
            let kept = few.sizes(limits, now: Date(), arrival: 0)
            #expect(kept.first?.bytes == found.first?.bytes && kept.count <= 4 && few.hasMore)
        }
        try await storage.close()
    }

    @Test("The events of merged blocks expire with the last of the block", arguments: StorageDriver.persistent)
    func merged(driver: StorageDriver) async throws {
        let time = TestTime()
        let start = time.now
        try await StorageBench.open(driver, events: RelayEventRetention(age: 300 * Self.hour), time: time) { storage in
            for number in 0..<4 {
                _ = try await storage.events.append([
                    Sample.event(2 * number, scenario: "a"), Sample.event(2 * number + 1, scenario: "b"),
                ])
                time.pass(Self.hour)
            }
            func hours() async throws -> [Double] {
                try await storage.events.scenarioSizes().sizes.map {
                    ($0.firstExpires.timeIntervalSince(start) / Self.hour).rounded()
                }
            }
            #expect(try await hours() == [300, 300])
            try await storage.expire()
            try await #require(storage.tables).events.merge(after: 0)
            #expect(try await hours() == [303, 303])
        }
    }
}
