import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// Random batches, merges, clock steps and rules, compared with an array.
struct RuleModelTests {
    @Test("Whatever arrives, each event is kept as long as its rule says", arguments: StorageDriver.all, 1...6)
    func stories(driver: StorageDriver, seed: UInt64) async throws {
        try await StorageBench.run(driver) { bench in
            var story = Story(bench: bench, random: SeededGenerator(seed: seed))
            for _ in 1...(driver.isPersistent ? 3 : 1) { try await story.run() }
        }
    }

    private struct Story {
        private struct Arrival {
            let event: SampleEvent
            let time: TimeInterval
        }

        let bench: StorageBench
        var random: SeededGenerator
        private var model: [Arrival] = []
        private var next = 0
        /// The longest age of a rule so far: blocks are merged for it, until other rules hold.
        private var longest: TimeInterval = 0

        init(bench: StorageBench, random: SeededGenerator) { (self.bench, self.random) = (bench, random) }

        private var now: TimeInterval { TimeInterval(bench.time.uptime.components.seconds) }

        mutating func run() async throws {
            let rules = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                let pattern = ["a", "b*", "*c", "*a*", "*"].randomElement(using: &random) ?? "*"
                return (pattern: pattern, age: TimeInterval(Int.random(in: 1...60, using: &random) * 100))
            }
            let others: TimeInterval = 3_000
            longest = max(longest, others, rules.map(\.age).max() ?? 0)
            func age(of scenario: String?) -> TimeInterval {
                guard let scenario else { return others }
                return rules.first { Self.matches($0.pattern, scenario) }?.age ?? others
            }
            let retention = RelayEventRetention(
                age: others, rules: try rules.map { try RetentionRule("\($0.pattern)=\(Int($0.age))s") })
            var story = self
            try await bench.open(events: retention) { storage in
                for step in 1...25 { try await story.step(storage, age, "rules \(rules), step \(step)") }
            }
            self = story
        }

        private mutating func step(
            _ storage: any RelayStorage, _ age: (String?) -> TimeInterval, _ place: Comment
        ) async throws {
            let start = try await storage.events.latestCursor()
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let events = (0..<Int.random(in: 1...12, using: &random)).map { _ in event() }
                _ = try await storage.events.append(events)
                model += events.map { Arrival(event: $0, time: now) }
            }
            if Bool.random(using: &random) { try await #require(storage.tables).events.merge(after: 0) }
            bench.time.pass(TimeInterval(Int.random(in: 0...400, using: &random)))
            try await storage.expire()
            let kept = Set(try await storage.texts())
            for arrival in model {
                let (limit, age) = (age(arrival.event.scenario), now - arrival.time)
                let isKept = kept.contains(arrival.event.text)
                if age <= limit { #expect(isKept, "\(arrival) is deleted early, \(place)") }
                if age > limit + longest / 30 { #expect(!isKept, "\(arrival) is kept, \(place)") }
            }
            model.removeAll { !kept.contains($0.event.text) }
            #expect(try await storage.texts() == model.map(\.event.text), place)
            for scenario in ["a", "b1", "bc", "d"] {
                let expected = model.count { $0.event.scenario == scenario }
                #expect(try await storage.events.count(matching: .init(scenarios: [scenario])) == expected, place)
            }
            #expect(try await storage.page(after: start).events.allSatisfy { kept.contains($0.text) }, place)
            #expect(try await storage.usage().events == model.count, place)
            try await storage.checkSums()
        }

        private mutating func event() -> SampleEvent {
            next += 1
            return Sample.event(
                next, client: Bool.random(using: &random) ? "x" : "y", session: "s\(Int.random(in: 0..<2, using: &random))",
                scenario: ["a", "b1", "bc", "d", nil].randomElement(using: &random) ?? nil)
        }

        private static func matches(_ pattern: String, _ name: String) -> Bool {
            switch pattern {
            case "a": name == "a"
            case "b*": name.hasPrefix("b")
            case "*c": name.hasSuffix("c")
            case "*a*": name.contains("a")
            default: true
            }
        }
    }
}
