import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// Random batches, deletions and reads, compared with an array.
struct EventModelTests {
    private static let capacity = 120

    @Test("Whatever is stored and deleted, every page and count is what an array would give", arguments: StorageDriver.all, 1...3)
    func stories(driver: StorageDriver, seed: UInt64) async throws {
        try await StorageBench.open(driver, events: .init(capacity: Self.capacity)) { storage in
            var story = Story(storage: storage, random: SeededGenerator(seed: seed))
            for step in 1...60 {
                try await story.change()
                try await story.check("step \(step)")
            }
        }
    }

    private struct Story {
        let storage: any RelayStorage
        var random: SeededGenerator
        private var model: [SampleEvent] = []
        private var known: Set<[String?]> = []
        private var next = 0
        private var cursors: [(cursor: RelayEventCursor, after: Int)] = []

        init(storage: any RelayStorage, random: SeededGenerator) { (self.storage, self.random) = (storage, random) }

        mutating func change() async throws {
            if Int.random(in: 0..<5, using: &random) == 0 {
                let filter = filter()
                let count = model.count { Self.matches($0, filter) }
                #expect(try await storage.events.delete(matching: filter) == count)
                model.removeAll { Self.matches($0, filter) }
            } else {
                let batch = (0..<Int.random(in: 1...40, using: &random)).map { _ in event() }
                let new = batch.filter { known.insert([$0.clientId, $0.eventId]).inserted }
                let result = try await storage.events.append(batch)
                #expect(result == .init(stored: new.count, duplicates: batch.count - new.count))
                model = Array((model + new).suffix(EventModelTests.capacity))
            }
        }

        mutating func check(_ place: Comment) async throws {
            for _ in 0..<3 {
                let filter = filter()
                let limit = Int.random(in: 1...60, using: &random)
                let expected = model.filter { Self.matches($0, filter) }.map(\.text)
                #expect(try await storage.texts(filter, limit: limit) == expected, place)
                #expect(try await storage.texts(filter, order: .descending, limit: limit) == expected.reversed(), place)
                #expect(try await storage.events.count(matching: filter) == expected.count, place)
            }
            // Every cursor of an earlier step is still good.
            for (cursor, after) in cursors.suffix(3) {
                let expected = model.map(\.text).filter { Int($0).map { $0 > after } ?? false }
                let events = try await storage.page(after: cursor).events
                #expect(events.map(\.text) == expected, place)
                #expect(events.map(\.header) == expected.map { Array(Self.header(above: Int($0) ?? 0).utf8) }, place)
            }
            cursors.append((try await storage.events.latestCursor(), model.last.flatMap { Int($0.text) } ?? -1))
            #expect(try await storage.usage().events == model.count, place)
            try await storage.checkSums()
        }

        /// Repeated for some events, and sometimes empty.
        private static func header(above number: Int) -> String { ["", "first", "2nd", "first"][number / 5 % 4] }

        /// An event with an identifier of the library's form or another one, sometimes one that was used before. Its text is the
        /// order of its creation.
        private mutating func event() -> SampleEvent {
            next += 1
            let isOld = Int.random(in: 0..<8, using: &random) == 0
            let number = isOld ? Int.random(in: 0..<next, using: &random) : next
            let session = "s\(Int.random(in: 0..<3, using: &random))"
            return SampleEvent(
                clientId: ["a", "b", "c", nil].randomElement(using: &random) ?? nil, sessionId: session,
                eventId: Bool.random(using: &random) ? "\(session)-\(number / 4)" : "x\(number)",
                name: "n\(Int.random(in: 0..<4, using: &random))",
                time: RelayTime(seconds: Int64.random(in: 0..<20, using: &random), nanoseconds: number % 2 == 0 ? 0 : 1),
                scenario: Bool.random(using: &random) ? "t\(number % 3)" : nil, level: number % 5 == 0 ? .diagnostic : .info,
                header: Self.header(above: next), text: "\(next)")
        }

        private mutating func filter() -> RelayEventFilter {
            var filter = RelayEventFilter()
            func isChosen() -> Bool { Int.random(in: 0..<4, using: &random) == 0 }
            if isChosen() { filter.clients = ["a", "b"] }
            if isChosen() { filter.clientPatterns = (Bool.random(using: &random) ? ["a*", "*b"] : ["*"]).map(NamePattern.init) }
            if isChosen() { filter.sessionId = "s1" }
            if isChosen() { filter.scenarios = ["t0", "t2"] }
            if isChosen() { filter.scenarioPatterns = ["*1", "t0"].map(NamePattern.init) }
            if isChosen() { filter.levels = [.diagnostic] }
            if isChosen() { filter.names = ["n0", "n1"] }
            if isChosen() { filter.since = RelayTime(seconds: 7, nanoseconds: 1) }
            if isChosen() { filter.until = RelayTime(seconds: 15) }
            if filter == .all, Bool.random(using: &random) { filter.sessionId = "s2" }
            return filter
        }

        private static func matches(_ name: String?, _ patterns: [NamePattern]) -> Bool {
            patterns.isEmpty || name.map { name in patterns.contains { $0.matches(name) } } ?? false
        }

        private static func matches(_ event: SampleEvent, _ filter: RelayEventFilter) -> Bool {
            (filter.clients.map { $0.contains(event.clientId ?? "-") } ?? true)
                && matches(event.clientId, filter.clientPatterns) && matches(event.scenario, filter.scenarioPatterns)
                && (filter.sessionId.map { $0 == event.sessionId } ?? true)
                && (filter.scenarios.map { $0.contains(event.scenario ?? "-") } ?? true)
                && (filter.levels.map { $0.contains(event.level) } ?? true)
                && (filter.names.map { $0.contains(event.name) } ?? true)
                && (filter.since.map { $0 <= event.time } ?? true) && (filter.until.map { event.time < $0 } ?? true)
        }
    }
}
