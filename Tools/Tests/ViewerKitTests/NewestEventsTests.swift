import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import ViewerKit

struct NewestEventsTests {
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)

    private static func event(_ number: Int, _ text: String = "fine") -> TelemetryEvent {
        TelemetryEvent(
            clientId: "c\(number % 3)", sessionId: "s\(number % 3)", sequence: UInt64(number + 1), name: "n\(number)",
            timestamp: start + Double(number), property1: text, scenario: number.isMultiple(of: 4) ? nil : "A",
            level: number.isMultiple(of: 5) ? .diagnostic : .info)
    }

    /// A store that returns at most 1,000 events in a page, as a relay does. Only the oldest event contains "needle".
    private static func store(of count: Int) async throws -> ShortHistoryTransport {
        let transport = InMemoryTelemetryTransport()
        try await transport.append((0..<count).map { event($0, $0 == 0 ? "needle" : "fine") })
        return ShortHistoryTransport(transport, maximum: 1_000)
    }

    private static func criteria(grep text: String) throws -> EventCriteria {
        var criteria = EventCriteria()
        criteria.including = [try EventPattern(text, isExpression: false)]
        return criteria
    }

    @Test("The pages of a search for a rare text double up to the maximum", arguments: ["needle", "nowhere"])
    func pages(text: String) async throws {
        let transport = try await Self.store(of: 10_000)
        let newest = try NewestEvents(transport: transport, criteria: Self.criteria(grep: text))
        let events = try await newest.read(5).events
        #expect(events.map(\.name) == (text == "needle" ? ["n0"] : []))
        let doubled = [5, 10, 20, 40, 80, 160, 320, 640, 1_280]
        let searched = doubled.reduce(0) { $0 + min($1, 1_000) }
        let rest = (10_000 - searched + 999) / 1_000
        #expect(transport.historyLimits == doubled + Array(repeating: NewestEvents.maximumPageSize, count: rest))
    }

    @Test(
        "If the store applies the whole filter, no more events are requested than are wanted",
        arguments: [(3, [3]), (1_500, [1_500, 500]), (2_500, [2_000, 1_500, 500]), (.max, [2_000, 2_000, 2_000])])
    func storeFilter(wanted: Int, limits: [Int]) async throws {
        let transport = try await Self.store(of: 3_000)
        let newest = NewestEvents(transport: transport, criteria: EventCriteria())
        let (events, end) = try await newest.read(wanted)
        #expect(events.count == min(wanted, 3_000))
        #expect(transport.historyLimits == limits)
        #expect(try await transport.events(matching: .all, after: end, limit: 1).events.isEmpty)
    }

    @Test("The progress is reported before each page but the first")
    func progress() async throws {
        let transport = try await Self.store(of: 40)
        let newest = try NewestEvents(transport: transport, criteria: Self.criteria(grep: "needle"))
        var lines: [String] = []
        _ = try await newest.read(10) { lines.append($0) }
        let time = TimeText()
        #expect(
            lines == [
                "… 10 events searched, back to \(time.dayAndSecond(Self.start + 30)); 0 found",
                "… 30 events searched, back to \(time.dayAndSecond(Self.start + 10)); 0 found",
            ])
        lines = []
        _ = try await newest.read(40) { lines.append($0) }
        #expect(lines.isEmpty)
    }

    @Test("Random searches backwards find the last events of a search forwards")
    func random() async throws {
        var random = SeededGenerator()
        for round in 0..<20 {
            let events = (0..<Int.random(in: 0...600, using: &random)).map { number in
                Self.event(number, ["needle", "fine", "needles"].randomElement(using: &random) ?? "")
            }
            try await withTemporaryDirectory { directory in
                let files = try FileTelemetryTransport(
                    directory: directory, configuration: .init(segmentBytes: 6_000, journalBytes: 2_000))
                let memory = InMemoryTelemetryTransport()
                var rest = events[...]
                while !rest.isEmpty {
                    let batch = rest.prefix(Int.random(in: 1...40, using: &random))
                    rest = rest.dropFirst(batch.count)
                    try await files.append(Array(batch))
                    try await memory.append(Array(batch))
                }
                let short = ShortHistoryTransport(memory, maximum: Int.random(in: 1...50, using: &random))
                for transport in [files, short] as [any TelemetryEventTransport] {
                    let criteria = try Self.criteria(&random)
                    let limit = Int.random(in: 1...50, using: &random)
                    let newest = NewestEvents(transport: transport, criteria: criteria)
                    let found = try await newest.read(limit).events
                    let expected = try await Self.forwards(transport, criteria).suffix(limit)
                    #expect(found.map(\.eventId) == expected.map(\.eventId), "TELEMETRY_SEED=\(randomSeed), round \(round)")
                }
            }
        }
    }

    private static func criteria(_ random: inout SeededGenerator) throws -> EventCriteria {
        var criteria = EventCriteria(filter: random.once(in: 2) ? .all : TelemetryEventFilter(scenarios: ["A"]))
        if random.once(in: 3) { criteria.clients = ["c0", "c2"] }
        if random.once(in: 3) { criteria.severity = .info }
        let text = ["needle", "needles", "n1", "nowhere", "e"].randomElement(using: &random) ?? ""
        let pattern = try EventPattern(text, isExpression: random.once(in: 4))
        if random.once(in: 3) { criteria.excluding = [pattern] } else { criteria.including = [pattern] }
        return criteria
    }

    private static func forwards(
        _ transport: any TelemetryEventTransport, _ criteria: EventCriteria
    ) async throws -> [TelemetryEvent] {
        var criteria = criteria
        var found: [TelemetryEvent] = []
        try await EventReader(transport: transport, filter: criteria.filter).read(after: nil, following: false) { page in
            found += try page.events.filter { try criteria.matches($0) }
            return true
        }
        return found
    }
}
