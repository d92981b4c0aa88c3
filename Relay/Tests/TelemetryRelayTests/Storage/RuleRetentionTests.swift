import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryRelay

struct RuleRetentionTests {
    private static let hour: TimeInterval = 3_600

    private static func retention(_ rules: String..., age: TimeInterval = 24 * hour) throws -> RelayEventRetention {
        RelayEventRetention(age: age, rules: try rules.map(RetentionRule.init))
    }

    @Test("The first rule that matches sets the age, shorter or longer than that of other events", arguments: StorageDriver.all)
    func ages(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open(events: Self.retention("Keep*=72h", "DebugNet=36h", "Debug*=2h")) { storage in
                let scenarios = ["Keep", "KeepDebug", "DebugNet", "Debug", "DebugUI", "debug", nil]
                _ = try await storage.events.append(
                    scenarios.enumerated().map { Sample.event($0.offset, scenario: $0.element, text: $0.element ?? "none") })
                for (time, kept) in [
                    (2, ["Keep", "KeepDebug", "DebugNet", "Debug", "DebugUI", "debug", "none"]),
                    (2.001, ["Keep", "KeepDebug", "DebugNet", "debug", "none"]),
                    (24, ["Keep", "KeepDebug", "DebugNet", "debug", "none"]), (24.001, ["Keep", "KeepDebug", "DebugNet"]),
                    (36, ["Keep", "KeepDebug", "DebugNet"]), (36.001, ["Keep", "KeepDebug"]), (72, ["Keep", "KeepDebug"]),
                    (72.001, []),
                ] as [(TimeInterval, [String])] {
                    bench.time.pass(time * Self.hour - bench.time.uptime.seconds)
                    try await storage.expire()
                    #expect(try await storage.texts() == kept, "after \(time) hours")
                    try await storage.checkSums()
                }
                #expect(try await storage.usage().expired == [.age: 7])
                #expect(try await storage.usage().eventBytes == 0)
            }
        }
    }

    @Test("A star matches named scenarios only", arguments: StorageDriver.all)
    func withoutScenario(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.open(driver, events: Self.retention("*=1h"), time: time) { storage in
            _ = try await storage.events.append([Sample.event(1), Sample.event(2, scenario: "a"), Sample.event(3, scenario: "")])
            time.pass(2 * Self.hour)
            try await storage.expire()
            #expect(try await storage.texts() == ["1"])
        }
    }

    @Test("Rules match names in Unicode's form C, of any length", arguments: StorageDriver.all)
    func names(driver: StorageDriver) async throws {
        let long = String(repeating: "Debug", count: 30)
        let names = [long + "e\u{301}", long + "e", "Caf\u{e9}", "Cafe\u{301}s", "Cafe", "\u{212a}elvin"]
        let time = TestTime()
        let rules = try Self.retention("\(long)\u{e9}=1h", "Debug*e=2h", "Cafe\u{301}*=1h", "Cafe*=2h", "K*=1h")
        try await StorageBench.open(driver, events: rules, time: time) { storage in
            let events = names.enumerated().map { number, name in
                TelemetryEvent(
                    eventId: "e\(number)", clientId: "c", sessionId: "s", name: "n", timestamp: Date(timeIntervalSince1970: 1),
                    threadId: "t", scenario: name)
            }
            _ = try await storage.events.append(WireEventLines.read(EventLines.encode(events), limits: .init()))
            time.pass(1.5 * Self.hour)
            try await storage.expire()
            #expect(try await storage.events.count(matching: .all) == 2)
            #expect(try await storage.events.count(matching: .init(scenarios: [names[1], names[4]])) == 2)
            time.pass(Self.hour)
            try await storage.expire()
            #expect(try await storage.events.count(matching: .all) == 0)
        }
    }

    @Test("The oldest events of a rule are deleted beyond its size; others are kept", arguments: StorageDriver.all)
    func sizes(driver: StorageDriver) async throws {
        try await StorageBench.open(driver, events: Self.retention("Debug*=1MB")) { storage in
            // Cannot be compressed much.
            var random = SeededGenerator(seed: 1)
            func text(_ name: String, _ number: Int) -> String {
                "\(name)\(number) "
                    + String(decoding: (0..<9_000).map { _ in UInt8.random(in: 0x21...0x7e, using: &random) }, as: UTF8.self)
            }
            let scenarios = ["DebugA", "Keep", "DebugB"]
            for batch in 0..<100 {
                _ = try await storage.events.append(
                    (0..<3).map {
                        let number = 3 * batch + $0
                        return Sample.event(
                            number, session: "s\(batch % 2)", scenario: scenarios[$0],
                            text: $0 == 1 ? "Keep\(number)" : text("Debug", number))
                    })
                if batch % 30 == 29 { try await storage.expire() }
            }
            try await storage.expire()
            try await storage.checkSums()
            #expect(try await storage.events.count(matching: .init(scenarios: ["Keep"])) == 100)
            #expect((700_000...(1_100 << 10)).contains(try await storage.usage().eventBytes))
            let kept = try await storage.texts(.init(scenarios: ["DebugA", "DebugB"])).compactMap {
                Int($0.prefix { $0 != " " }.dropFirst(5))
            }
            // Those of each session that arrived last.
            for session in 0..<2 {
                let all = (0..<300).filter { $0 % 3 != 1 && $0 / 3 % 2 == session }
                let ofSession = kept.filter { $0 / 3 % 2 == session }
                #expect(ofSession.count > 30)
                #expect(ofSession == all.suffix(ofSession.count))
            }
            #expect(try await storage.usage().expired == [.bytes: 200 - kept.count])
        }
    }

    @Test(
        "A rule's deletion leaves compressed events compressed, so that no others are deleted for their bytes",
        arguments: StorageDriver.all)
    func compressed(driver: StorageDriver) async throws {
        let time = TestTime()
        let text = String(repeating: "the same words again and again ", count: 30)
        var retention = try Self.retention("Debug*=1h")
        retention.bytes = 100_000
        try await StorageBench.open(driver, events: retention, time: time) { storage in
            for batch in 0..<20 {
                _ = try await storage.events.append(
                    (0..<20).map { Sample.event(20 * batch + $0, scenario: $0 % 2 == 0 ? "Debug" : "Keep", text: text) })
                try await #require(storage.tables).events.merge(after: 0)
            }
            #expect(try await storage.usage().eventBytes < 50_000)
            time.pass(2 * Self.hour)
            for _ in 0..<2 {
                try await storage.expire()
                #expect(try await storage.events.count(matching: .all) == 200)
                #expect(try await storage.usage().eventBytes < 50_000)
            }
            try await storage.checkSums()
        }
    }

    @Test("The limits for all events hold for events with a longer rule", arguments: StorageDriver.all)
    func capacity(driver: StorageDriver) async throws {
        var retention = try Self.retention("Keep=72h")
        retention.capacity = 10
        try await StorageBench.open(driver, events: retention) { storage in
            _ = try await storage.events.append((1...12).map { Sample.event($0, scenario: $0 < 9 ? "Keep" : nil) })
            #expect(try await storage.texts() == (3...12).map(String.init))
        }
    }

    @Test("Readers get the number of skipped events, and deleted ones stay duplicates", arguments: StorageDriver.all)
    func readers(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.open(driver, events: Self.retention("Debug=1h"), time: time) { storage in
            func event(_ number: Int) -> SampleEvent {
                Sample.event(number, client: number < 20 ? "a" : "b", scenario: number % 2 == 0 ? "Debug" : nil)
            }
            let start = try await storage.events.latestCursor()
            _ = try await storage.events.append((1...40).map(event))
            let cursor = try await storage.events.latestCursor()
            time.pass(Self.hour)
            _ = try await storage.events.append((41...50).map(event))
            time.pass(1)
            try await storage.expire()
            let page = try await storage.page(after: start)
            #expect(page.skipped == 20)
            #expect(page.events.map(\.text) == (1...50).filter { $0 % 2 == 1 || $0 > 40 }.map(String.init))
            let ofB = try await storage.events.page(
                matching: .init(clients: ["b"]), after: start, limit: 100, order: .ascending)
            #expect(ofB.skipped == 11)
            let later = try await storage.page(after: cursor)
            #expect(later.skipped == 0)
            #expect(later.events.map(\.text) == (41...50).map(String.init))
            #expect(try await storage.events.append((1...50).map(event)) == .init(stored: 0, duplicates: 50))
            #expect(try await storage.usage().rememberedEvents > 0)
        }
    }

    @Test("Other rules at a restart hold for stored events", arguments: StorageDriver.persistent)
    func otherRules(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open(events: Self.retention("a=1h")) { storage in
                _ = try await storage.events.append(
                    ["a", "b", "c"].enumerated().map { Sample.event($0, scenario: $1, text: $1) })
                try await #require(storage.tables).events.merge(after: 0)
            }
            bench.time.pass(2 * Self.hour)
            try await bench.open(events: Self.retention("b=1h", "a=48h")) { storage in
                try await storage.expire()
                #expect(try await storage.texts() == ["a", "c"])
            }
            try await bench.open(events: Self.retention()) { storage in
                bench.time.pass(23 * Self.hour)
                try await storage.expire()
                #expect(try await storage.texts() == [])
            }
        }
    }

    @Test("Events whose block is merged between the search for it and the deletion are deleted", arguments: StorageDriver.all)
    func merged(driver: StorageDriver) async throws {
        let time = TestTime()
        try await StorageBench.open(driver, events: Self.retention("Debug=1h"), time: time) { storage in
            for number in 1...6 {
                _ = try await storage.events.append([Sample.event(number, scenario: number % 2 == 0 ? "Debug" : nil)])
            }
            time.pass(2 * Self.hour)
            let events = try #require(storage.tables).events
            try await events.applyRules { try await events.merge(after: 0) }
            #expect(try await storage.texts() == ["1", "3", "5"])
            #expect(try await storage.usage().expired == [.age: 3])
            try await storage.checkSums()
        }
    }

    @Test("Two relays that apply the rules at once count each event once", arguments: StorageDriver.persistent)
    func twoRelays(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            let retention = try Self.retention("Debug=1h")
            try await bench.open(events: retention) { first in
                try await bench.open(events: retention) { second in
                    for number in 0..<100 {
                        _ = try await [first, second][number % 2].events.append(
                            (0..<4).map {
                                Sample.event(4 * number + $0, session: "s\(number % 7)", scenario: $0 == 0 ? nil : "Debug")
                            })
                    }
                    bench.time.pass(2 * Self.hour)
                    async let one: Void = first.expire()
                    async let two: Void = second.expire()
                    _ = try await (one, two)
                    #expect(try await first.texts() == (0..<100).map { "\(4 * $0)" })
                    let counts = [try await first.usage().expired, try await second.usage().expired]
                    #expect(counts.reduce(0) { $0 + ($1[.age] ?? 0) } == 300)
                    try await first.checkSums()
                }
            }
        }
    }

    @Test("Merged blocks with events of a rule expire at most a thirtieth of its age late")
    func spread() async throws {
        let time = TestTime()
        try await StorageBench.open(.memory, events: Self.retention("Debug=1h"), time: time) { storage in
            let events = try #require(storage.tables).events
            for number in 0..<20 {
                _ = try await storage.events.append([
                    Sample.event(number, session: "s\(number % 2)", scenario: number % 2 == 0 ? "Debug" : nil)
                ])
                try await events.merge(after: 0)
                time.pass(60)
            }
            // The first one arrived an hour and two minutes ago.
            time.pass(62 * 60 - time.uptime.seconds)
            time.pass(1)
            try await storage.expire()
            #expect(try await !storage.texts().contains("0"))
            #expect(try await storage.texts().contains("4"))
            // Those without a scenario can wait for 48 minutes.
            let blocks = try await #require(storage.tables).database.read { try $0.int("SELECT COUNT(*) FROM event_block") }
            #expect(try #require(blocks) < 12)
        }
    }
}

extension Duration {
    fileprivate var seconds: TimeInterval { TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18 }
}
