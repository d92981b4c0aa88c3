#if PostgreSQL
import Foundation
import PostgreSQLClient
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// The ranges of times by which a filter skips events.
@Suite(.enabled(if: TestServer.url != nil))
struct PostgreSQLEventSpanTests {
    private static func open(
        _ test: (PostgreSQLRelayStorage, PostgreSQLConnection) async throws -> Void
    ) async throws {
        let driver = try #require(StorageDriver.shared.first)
        try await StorageBench.run(driver) { bench in
            try await bench.open { storage in
                let connection = try await TestServer.connect(schemaOf: bench.place)
                try await test(try #require(storage as? PostgreSQLRelayStorage), connection)
            }
        }
    }

    private static func event(_ number: Int, at seconds: Int64) -> RelayEvent {
        RelayEvent(
            clientId: "c", sessionId: "s", eventId: "e\(number)", name: "n", time: RelayTime(seconds: seconds),
            scenario: "S\(number % 3)", level: .info, json: "\(number)")
    }

    @Test("A time filter returns the same events before and after spans are combined, in either order")
    func filters() async throws {
        try await Self.open { storage, connection in
            let seed = UInt64.random(in: 0 ... .max)
            var generator = SeededGenerator(seed: seed)
            var events: [(number: Int, seconds: Int64)] = []
            func check() async throws {
                for _ in 0..<20 {
                    let bounds = [Int64.random(in: 0..<1000, using: &generator), .random(in: 0..<1000, using: &generator)]
                        .sorted()
                    let scenarios: Set<String>? = [nil, ["S0"], ["S1", "S2"]].randomElement(using: &generator) ?? nil
                    let filter = RelayEventFilter(
                        scenarios: scenarios, since: RelayTime(seconds: bounds[0]), until: RelayTime(seconds: bounds[1]))
                    let expected = events.filter { event in
                        bounds[0] <= event.seconds && event.seconds < bounds[1]
                            && scenarios?.contains("S\(event.number % 3)") ?? true
                    }.map { "\($0.number)" }
                    #expect(try await storage.texts(filter, limit: 7) == expected, "seed \(seed)")
                    #expect(try await storage.texts(filter, order: .descending, limit: 7) == expected.reversed(), "seed \(seed)")
                    #expect(try await storage.countEvents(matching: filter) == expected.count, "seed \(seed)")
                }
            }
            for round in 0..<3 {
                for _ in 0..<40 {
                    let batch = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                        let seconds = Int64(round * 300) + .random(in: 0..<400, using: &generator)
                        events.append((events.count, seconds))
                        return Self.event(events.count - 1, at: seconds)
                    }
                    _ = try await storage.append(batch)
                }
                try await check()
                try await storage.expire()
                try await check()
            }
            let spans = try await connection.execute("SELECT COUNT(*), SUM(events)::bigint FROM event_span").row
            #expect(try spans.int(0) < 10)
            #expect(try spans.int(1) == Int64(events.count))
        }
    }

    @Test("A time filter looks only where the times may be")
    func narrow() async throws {
        try await Self.open { storage, connection in
            for number in 0..<20 { _ = try await storage.append([Self.event(number, at: Int64(number))]) }
            func ranges(_ since: Int64?, _ until: Int64?) async throws -> Int? {
                let filter = RelayEventFilter(
                    since: since.map { RelayTime(seconds: $0) }, until: until.map { RelayTime(seconds: $0) })
                return try await PostgreSQLEventSpans.ranges(of: filter, after: -1, before: .max, .ascending, connection)?.count
            }
            #expect(try await ranges(5, 7) == 3)
            #expect(try await ranges(18, nil) == 2)
            #expect(try await ranges(nil, 0) == 1)
            #expect(try await ranges(20, nil) == 0)
            #expect(try await ranges(7, 5) == 0)
            #expect(try await ranges(nil, nil) == nil)
        }
    }

    @Test("Large spans stay apart, and spans without events are removed")
    func combination() async throws {
        try await Self.open { storage, connection in
            for number in 0..<5 { _ = try await storage.append([Self.event(number, at: 0)]) }
            _ = try await storage.append((5..<1005).map { Self.event($0, at: 1) })
            for number in 1005..<1010 { _ = try await storage.append([Self.event(number, at: 2)]) }
            try await storage.expire()
            func spans() async throws -> [Int64] {
                try await connection.execute("SELECT events FROM event_span ORDER BY first").rows.map { try $0.int(0) }
            }
            #expect(try await spans() == [5, 1000, 5])
            _ = try await storage.deleteEvents(matching: .init(until: RelayTime(seconds: 2)))
            try await storage.expire()
            #expect(try await spans() == [5])
            _ = try await storage.deleteEvents(matching: .all)
            try await storage.expire()
            #expect(try await spans() == [])
        }
    }

    @Test(
        "Ranges that overlap are merged, and then those with the smallest gaps",
        arguments: [
            ([], 2, []), ([5...9, 1...3], 2, [1...3, 5...9]), ([1...6, 2...3, 5...9], 2, [1...9]),
            ([1...2, 10...11, 13...14, 30...31], 3, [1...2, 10...14, 30...31]),
            ([1...2, 10...11, 13...14, 30...31], 1, [1...31]), ([1...1, 3...3, 5...5], 2, [1...5]),
        ] as [([ClosedRange<Int64>], Int, [ClosedRange<Int64>])])
    func merging(spans: [ClosedRange<Int64>], limit: Int, expected: [ClosedRange<Int64>]) {
        #expect(PostgreSQLEventSpans.merged(spans, atMost: limit) == expected)
    }
}
#endif
