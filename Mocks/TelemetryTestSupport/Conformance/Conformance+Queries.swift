import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    private static let asked = [
        Sample.event(
            "1", client: "a", session: "s", name: "request.finished", at: 1, scenario: "Net",
            attributes: ["status": 200, "took": 1.5]),
        Sample.event(
            "2", client: "b", session: "s", name: "request.finished", at: 2, scenario: "Net", level: .diagnostic,
            attributes: ["status": 503, "took": 12]),
        Sample.event(
            "3", client: "a", session: "t", name: "cart.opened", at: 63, scenario: "UI", attributes: ["items": 3, "user": "4711"]),
        Sample.event(
            "4", client: nil, session: "t", name: "request.failed", at: 64,
            attributes: ["status": "503", "timedOut": true, "severity": "ERROR"]),
        Sample.event(
            "5", client: "a", session: "t", name: "note", at: 130, scenario: "UI", property1: "Card declined: time-out, caf\u{e9}"
        ),
    ]

    private static let queries = [
        "", "*", "request", "failed or cart", "-request", "status:>=500", "status:=503 -severity:>=error", "severity:error",
        "name:=note", "text:\"card declined\"",
        "caf\u{e9}", "caf*", "text:~\"t[a-i]me-?out\"", "time:1m", "time:2h", "user:*", "-user:*", "client:=a level:=info",
        "scenario:in(UI, \"Net\")", "true", "12",
        "| limit 2", "| sort by took desc | limit 3", "| sort by name, time | limit 9 | fields name, time, status, took",
        "| stats count()",
        "nothing | stats count(), sum(status), max(took)",
        "| stats count(), count(status), sum(took), avg(took), min(status), max(time) by scenario",
        "| stats count_distinct(name) as names, quantile(0.5, took) by time:1m", "| top 2 name", "status:* | top client, status",
        "| stats count() by session, time:1h | sort by \"count()\" desc | limit 1",
        "| fields sequence, severity, device, app, timedOut, items, none",
    ]

    static let queryChecks = [
        Check("A query has the result that it has over the stored events in their order") { bench in
            try await bench.transport.append(asked)
            let stored = try await bench.transport.fetchAllEvents()
            let now = Sample.event("", at: 140).timestamp
            for text in queries {
                let query = try TelemetryQuery(text)
                let filters: [(name: String, filter: TelemetryEventFilter)] = [
                    ("all", .all), ("a client", .init(clientId: "a")), ("scenarios", .init(scenarios: ["Net"])),
                    ("no scenario", .init(scenarios: [])),
                    ("times", .init(since: asked[1].timestamp, until: asked[3].timestamp)),
                    ("a query", try .init(query: TelemetryQuery("-name:cart"))),
                ]
                for (name, filter) in filters {
                    let expected = try query.result(over: stored.filter(filter.matches), now: now)
                    let result = try await bench.transport.result(of: query, matching: filter, now: now)
                    try bench.expect("\(text), \(name)", result, is: expected)
                }
            }
        },

        Check("Random queries have the results that they have over the stored events in their order") { bench in
            var random = RandomQuestions()
            for batch in 0..<5 {
                try await bench.transport.append((0..<8).map { random.event(batch * 8 + $0) })
            }
            let stored = try await bench.transport.fetchAllEvents()
            let now = Sample.event("", at: 200).timestamp
            for _ in 0..<150 {
                // Some have two columns of one name.
                guard let query = try? TelemetryQuery(random.query()) else { continue }
                let result = try await bench.transport.result(of: query, matching: .all, now: now)
                try bench.expect("\(query), over \(stored)", result, is: query.result(over: stored, now: now))
            }
        },

        Check("A query is a condition of a filter, for reading, counting and deleting") { bench in
            try await bench.transport.append(asked)
            // A store may keep another spelling of a character, which is equal as a string but not for a query.
            let stored = try await bench.transport.fetchAllEvents()
            for text in queries where try !TelemetryQuery(text).hasPipes && !text.contains("time:") {
                let filter = try TelemetryEventFilter(query: TelemetryQuery(text))
                let matches = stored.filter(filter.matches).map(\.eventId)
                try await bench.expect("reading, \(text)", bench.identifiers(filter), is: matches)
                try await bench.expect("reading one by one, \(text)", bench.identifiers(filter, pageSize: 1), is: matches)
                try await bench.expect(
                    "backwards, \(text)", bench.transport.newestEvents(matching: filter, limit: 9).events.map(\.eventId),
                    is: matches)
                try await bench.expect("counting, \(text)", bench.transport.countEvents(matching: filter), is: matches.count)
                try await bench.expect(
                    "summarizing, \(text)", bench.transport.summarizedCount(matching: filter), is: matches.count)
            }
            let filter = try TelemetryEventFilter(scenarios: ["Net", "UI"], query: TelemetryQuery("status:* or note"))
            try await bench.expect("deleted", bench.transport.deleteEvents(matching: filter), is: 3)
            try await bench.expect("left", bench.identifiers(), is: ["3", "4"])
        },

        Check("A query that exceeds a limit of the language is quotaExceeded") { bench in
            let count = 10_001
            for start in stride(from: 0, to: count, by: 1_000) {
                try await bench.transport.append(
                    (start..<min(count, start + 1_000)).map { Sample.event("\($0)", client: "a", at: $0) })
            }
            let query = try TelemetryQuery("| sort by time desc | limit 20000")
            let transport = bench.transport
            try await bench.expectError(.quotaExceeded, "sorting") {
                _ = try await transport.result(of: query, matching: .init(clientId: "a"), now: Date())
            }
            let result = try await transport.result(of: .all, matching: .init(clientId: "a"), now: Date())
            try bench.expect("more events than a response has", result.events.count, is: count)
        },
    ]
}
