import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

struct QueryMergingTests {
    private static func event(_ number: Int) -> TelemetryEvent {
        var attributes: [String: TelemetryValue] = ["status": .int(Int64(number % 7)), "user": .string("u\(number % 11)")]
        if number % 3 == 0 { attributes["took"] = .double(Double(number) / 7) }
        if number % 5 == 0 { attributes["took"] = .date(Date(timeIntervalSince1970: TimeInterval(number))) }
        return TelemetryEvent(
            eventId: "e\(number)", clientId: "c", sessionId: "s", sequence: UInt64(number), name: number % 4 == 0 ? "a" : "b",
            timestamp: Date(timeIntervalSince1970: TimeInterval(number * 10)), threadId: "t", attributes: attributes)
    }

    private static let events = (0..<200).map(event)

    /// The result over some events that are added in a random order, each to one of three evaluations.
    private static func merged(
        _ query: TelemetryQuery, _ random: inout Generated, byteLimit: Int = .max
    ) throws -> QueryEvaluation<TelemetryEvent>.Result {
        let context = QueryContext(now: Date())
        var parts = (0..<3).map { _ in QueryEvaluation<TelemetryEvent>(query, in: context, byteLimit: byteLimit) }
        for event in events.shuffled(using: &random) {
            let part = Int.random(in: 0..<3, using: &random)
            guard parts[part].matches(event) else { continue }
            try parts[part].add(matching: event, at: Int64(event.sequence)) { event }
        }
        var result = parts.removeFirst()
        for part in parts { try result.merge(part) }
        return try result.result()
    }

    @Test(
        "Evaluations of parts that are merged have the result over all events in their order",
        arguments: [
            "", "name:a | limit 5", "| limit 5 | limit 3", "| limit 50 | stats count(), sum(took) by name", "| limit 0",
            "| fields id, took | limit 6", "| fields took, id | sort by took desc | limit 4", "| sort by took, id desc | limit 9",
            "| sort by status | limit 12 | stats count() by user",
            "| stats count(), count(took), count_distinct(user), sum(took), avg(took), min(took), max(took), quantile(0.9, took)",
            "| stats count(), count_distinct(user), sum(took), avg(took), min(took), max(took), quantile(0.5, took) by name, time:1m",
            "name:none | stats count(), sum(took)", "| top 3 user", "| stats count() as n by user | sort by n desc | limit 2",
        ])
    func merging(text: String) throws {
        var random = Generated(stream: 40)
        let query = try TelemetryQuery(text)
        let expected = try query.result(over: Self.events)
        for _ in 0..<10 {
            let result = try Self.merged(query, &random)
            #expect(TelemetryQueryResult(result) == expected, "seed \(randomSeed)")
            #expect(!result.isCut)
        }
    }

    @Test("Numbers beyond the exact ones have the same quantiles, in whichever parts they are")
    func quantiles() throws {
        let query = try TelemetryQuery("| stats quantile(0.5, sequence), quantile(1, sequence)")
        let context = QueryContext(now: Date())
        var (whole, first, second) = (
            QueryEvaluation<TelemetryEvent>(query, in: context), QueryEvaluation<TelemetryEvent>(query, in: context),
            QueryEvaluation<TelemetryEvent>(query, in: context)
        )
        for number in 0..<120_000 {
            let event = TelemetryEvent(sessionId: "s", sequence: UInt64(number), name: "n", threadId: "t")
            try whole.add(event)
            if number % 2 == 0 { try first.add(event) } else { try second.add(event) }
        }
        try first.merge(second)
        let rows = try whole.result().rows
        #expect(try first.result().rows == rows)
        guard case .double(let median)? = rows.first?.first else { return #expect(Bool(false), "\(rows)") }
        #expect(abs(median - 60_000) < 600)
    }

    @Test("Groups and distinct values of all parts count for the limits")
    func limits() throws {
        for text in ["| stats count() by id", "| stats count_distinct(id), count_distinct(sequence)"] {
            let query = try TelemetryQuery(text)
            let context = QueryContext(now: Date())
            let limit = text.contains(" by ") ? 100_000 : 500_000
            var parts = (0..<2).map { _ in QueryEvaluation<TelemetryEvent>(query, in: context) }
            for number in 0...limit {
                let event = TelemetryEvent(
                    eventId: "e\(number)", sessionId: "s", sequence: UInt64(number), name: "n", threadId: "t")
                try parts[number % 2].add(event)
            }
            var merged = parts[0]
            #expect(throws: TelemetryQueryError.self) { try merged.merge(parts[1]) }
        }
    }

    @Test("Beyond the limit of bytes, whole events are left out from one of them on, and the result says so")
    func cut() throws {
        var random = Generated(stream: 41)
        for text in ["", "name:b", "| limit 150"] {
            let query = try TelemetryQuery(text)
            let whole = try query.result(over: Self.events)
            for _ in 0..<10 {
                let result = try Self.merged(query, &random, byteLimit: 20_000)
                #expect(result.isCut)
                #expect(result.matched == whole.matched)
                #expect((1..<whole.events.count).contains(result.events.count), "seed \(randomSeed)")
                #expect(result.events == Array(whole.events.prefix(result.events.count)), "seed \(randomSeed)")
            }
        }
    }

    @Test(
        "Beyond the limit of bytes, other queries fail",
        arguments: [
            "| fields id, name", "| sort by id | limit 200", "| limit 200 | sort by id | limit 1", "| stats count() by id",
            "| stats count_distinct(id)", "| stats quantile(0.5, sequence)",
        ])
    func tooLarge(text: String) throws {
        var random = Generated(stream: 42)
        let query = try TelemetryQuery(text)
        let error = #expect(throws: TelemetryQueryError.self) { try Self.merged(query, &random, byteLimit: 1_500) }
        #expect(error?.message.contains("1500 bytes") ?? false)
        #expect(throws: Never.self) { try Self.merged(query, &random, byteLimit: 1 << 20) }
    }
}
