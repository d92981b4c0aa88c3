import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

/// What is decided and counted without events.
struct QueryCellTests {
    private static func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }

    private static let now = date(100_000)
    private static let context = QueryContext(now: now)

    /// Events of two clients, three scenarios or none, and two names.
    private static func event(_ random: inout Generated) -> TelemetryEvent {
        TelemetryEvent(
            clientId: ["a", "b", nil].randomElement(using: &random) ?? nil,
            sessionId: ["s", "t"].randomElement(using: &random) ?? "",
            name: Bool.random(using: &random) ? "n" : "m", timestamp: date(Int.random(in: 90_000...100_000, using: &random)),
            threadId: "t",
            attributes: [
                "status": .int(Int64.random(in: 1...3, using: &random)),
                "severity": ["error", "Warn", "odd", nil].randomElement(using: &random).flatMap(\.self).map(
                    TelemetryValue.string),
            ].compactMapValues(\.self),
            scenario: ["Net", "Sync", "", nil].randomElement(using: &random) ?? nil,
            level: Bool.random(using: &random) ? .info : .diagnostic)
    }

    /// The cells of events, by all that a cell can know, and by the time of a quarter of an hour.
    private static func cells(_ events: [TelemetryEvent]) -> [(cell: QueryCell, events: [TelemetryEvent])] {
        struct Kind: Hashable {
            let texts: [String?]
            let quarter: Int
        }
        let kinds = Dictionary(grouping: events) {
            Kind(
                texts: [
                    $0.clientId, $0.sessionId, $0.scenario, $0.name, $0.level.rawValue, $0.value(of: .severity)?.stringValue,
                ],
                quarter: Int($0.timestamp.timeIntervalSince1970) / 900)
        }
        return kinds.values.compactMap { events in
            guard let event = events.first, let first = events.map(\.timestamp).min(), let last = events.map(\.timestamp).max()
            else { return nil }
            let cell = QueryCell(
                count: events.count, level: event.level, times: first...last, scenario: .init(event.scenario),
                name: .init(event.name), client: .init(event.clientId), session: .init(event.sessionId),
                severity: .init(event.value(of: .severity)?.stringValue))
            return (cell, events)
        }
    }

    private static let filters = [
        "", "*", "scenario:=Net", "-scenario:*", "scenario:*", "scenario:Net or name:=m", "-(client:=a name:=n)",
        "level:>=diagnostic",
        "level:=info", "client:in(a, b) session:=t", "name:~\"^[mn]$\"", "time:30m", "time:>=1970-01-02T01:00:00Z",
        "-time:<1970-01-02T02:00:00Z or client:=a", "status:>=2", "scenario:=Net status:=1", "scenario:=Net or word", "word",
        "severity:>=info", "severity:in(error, warning) scenario:=Net", "-severity:error", "severity:>=warn", "time:*",
        "time:1970", "\"Net\"",
    ]

    @Test("A cell matches, or not, only if all of its events do", arguments: filters)
    func decisions(text: String) throws {
        let query = try TelemetryQuery(text)
        for seed in 0..<20 {
            var random = Generated(stream: 60 + UInt64(seed))
            for (cell, events) in Self.cells((0..<60).map { _ in Self.event(&random) }) {
                guard let decision = query.matches(cell, in: Self.context) else { continue }
                #expect(events.allSatisfy { query.matches($0, now: Self.now) == decision }, "seed \(randomSeed)")
            }
        }
    }

    @Test("What is known of a cell decides, and what is not does not")
    func knowledge() throws {
        let cell = QueryCell(
            count: 3, level: .info, times: Self.date(99_000)...Self.date(99_500), scenario: .init("Net"), client: .init(nil))
        for (text, expected) in [
            ("scenario:=Net", true), ("scenario:=Sync", false), ("client:*", false), ("-client:*", true), ("name:=n", nil),
            ("name:=n scenario:=Sync", false), ("name:=n or scenario:=Net", true), ("name:=n or scenario:=Sync", nil),
            ("-name:=n", nil), ("time:20m", true), ("time:10m", nil), ("time:1m", false), ("word", nil), ("*", true),
            ("level:=info", true), ("severity:=info", nil), ("status:*", nil), ("time:*", nil),
            ("time:>=1970-01-02T03:30:00Z", true), ("time:>=1970-01-02T03:35:00Z", nil), ("time:<1970-01-02T03:30:00Z", false),
        ] as [(String, Bool?)] {
            #expect(try TelemetryQuery(text).matches(cell, in: Self.context) == expected, "\(text)")
        }
    }

    @Test(
        "Cells that are counted give the result over their events",
        arguments: [
            "", "by scenario", "by client, session, level", "by time:1h, scenario", "by time:1m", "by time:15m, name",
            "by status",
            "by time", "by severity", "by severity, time:1h",
        ])
    func counts(groups: String) throws {
        for (index, filter) in Self.filters.enumerated() {
            for functions in [
                "count()", "count(), count(scenario) as with, count(status)", "count(), max(status)", "count(name)",
            ] {
                let query = try TelemetryQuery("\(filter) | stats \(functions) \(groups) | sort by \"count()\" desc | limit 50")
                var random = Generated(stream: 90 + UInt64(index))
                let events = (0..<80).map { _ in Self.event(&random) }
                var evaluation = QueryEvaluation<TelemetryEvent>(query, in: Self.context)
                var position: Int64 = 0
                for (cell, events) in Self.cells(events) where try !evaluation.add(cell) {
                    for event in events where evaluation.matches(event) {
                        position += 1
                        try evaluation.add(matching: event, at: position) { event }
                    }
                }
                let found = try evaluation.result()
                let expected = try query.result(over: events, now: Self.now)
                #expect(found.rows == expected.rows && found.matched == expected.matched, "\(query), seed \(randomSeed)")
            }
        }
    }

    @Test(
        "Only counts of what is known need no events",
        arguments: [
            ("| stats count() by scenario, time:1h", true), ("scenario:=Net | top 3 client", true),
            ("| stats count(scenario)", true),
            ("| stats count() by name", false), ("| stats count() by time", false), ("| stats count(status)", false),
            ("| stats max(scenario)", false), ("| fields scenario", false), ("", false), ("word | stats count()", false),
            ("| limit 5 | stats count()", false), ("time:5m | stats count()", true), ("| stats count() by time:1m", false),
        ])
    func needs(text: String, isCounted: Bool) throws {
        let cell = QueryCell(
            count: 3, level: .info, times: Self.date(99_900)...Self.date(99_990), scenario: .init("Net"), client: .init("c"))
        var evaluation = QueryEvaluation<TelemetryEvent>(try TelemetryQuery(text), in: Self.context)
        #expect(try evaluation.add(cell) == isCounted)
        #expect(try evaluation.result().matched == (isCounted ? 3 : 0))
    }

    @Test("Counts beyond 64 bits, which only a damaged store states, end at the greatest number")
    func overflow() throws {
        let cell = QueryCell(count: .max, level: .info, times: Self.date(0)...Self.date(1))
        var evaluation = QueryEvaluation<TelemetryEvent>(try TelemetryQuery("| stats count()"), in: Self.context)
        for _ in 0..<3 { #expect(try evaluation.add(cell)) }
        let other = evaluation
        try evaluation.merge(other)
        let event = TelemetryEvent(sessionId: "s", name: "n", threadId: "t")
        try evaluation.add(matching: event, at: 0) { event }
        let result = try evaluation.result()
        #expect(result.rows == [[.int(.max)]] && result.matched == .max)
    }
}
