import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    private static let filtered = [
        Sample.event("1", client: "a", session: "s", name: "x", at: 1, scenario: "Net"),
        Sample.event("2", client: "b", session: "s", name: "y", at: 2, scenario: "UI", level: .diagnostic),
        Sample.event("3", client: "a", session: "t", name: "x", at: 3),
        Sample.event("4", client: nil, session: "t", name: "z", at: 4, scenario: "Net", level: .diagnostic),
        Sample.event("5", client: "A", session: "S", name: "X", at: 5, scenario: "net"),
    ]

    private static func second(_ second: Int) -> TelemetryEventFilter {
        TelemetryEventFilter(since: Sample.event("", at: second).timestamp, until: Sample.event("", at: second + 1).timestamp)
    }

    private static let filters: [(name: String, filter: TelemetryEventFilter, matches: [String])] = [
        ("all", .all, ["1", "2", "3", "4", "5"]),
        ("client", .init(clientId: "a"), ["1", "3"]),
        ("unknown client", .init(clientId: "nobody"), []),
        ("session", .init(sessionId: "t"), ["3", "4"]),
        ("scenarios", .init(scenarios: ["Net", "UI"]), ["1", "2", "4"]),
        ("no scenarios", .init(scenarios: []), []),
        ("levels", .init(levels: [.diagnostic]), ["2", "4"]),
        ("every level", .init(levels: [.info, .diagnostic]), ["1", "2", "3", "4", "5"]),
        ("no levels", .init(levels: []), []),
        ("names", .init(names: ["x", "z"]), ["1", "3", "4"]),
        ("no names", .init(names: []), []),
        ("since, included", .init(since: filtered[2].timestamp), ["3", "4", "5"]),
        ("until, excluded", .init(until: filtered[2].timestamp), ["1", "2"]),
        ("one second", second(4), ["4"]),
        ("an empty span", .init(since: filtered[2].timestamp, until: filtered[2].timestamp), []),
        (
            "every condition",
            .init(
                clientId: "a", sessionId: "s", scenarios: ["Net"], levels: [.info], names: ["x"], since: filtered[0].timestamp,
                until: filtered[1].timestamp), ["1"]
        ),
        ("conditions that exclude each other", .init(clientId: "a", levels: [.diagnostic]), []),
    ]

    static let filterChecks = [
        Check("A filter matches if all its conditions hold, for reading and counting") { bench in
            try await bench.transport.append(filtered)
            for (name, filter, matches) in filters {
                try await bench.expect("reading, \(name)", bench.identifiers(filter), is: matches)
                try await bench.expect("reading one by one, \(name)", bench.identifiers(filter, pageSize: 1), is: matches)
                try await bench.expect("counting, \(name)", bench.transport.countEvents(matching: filter), is: matches.count)
            }
        },

        Check("A filter matches if all its conditions hold, for deleting") { bench in
            for (round, (name, filter, matches)) in filters.enumerated() {
                // New identifiers in each round: those of deleted events may stay known.
                let events = filtered.map { event in
                    Sample.event(
                        "\(round)-\(event.eventId)", client: event.clientId, session: event.sessionId, name: event.name,
                        at: Int(event.timestamp.timeIntervalSince(TelemetryFixtures.date)), scenario: event.scenario,
                        level: event.level)
                }
                try await bench.transport.append(events)
                let count = try await bench.transport.deleteEvents(matching: filter)
                try bench.expect("deleting, \(name)", count, is: matches.count)
                let left = filtered.map(\.eventId).filter { !matches.contains($0) }.map { "\(round)-\($0)" }
                try await bench.expect("what is left, \(name)", bench.identifiers(), is: left)
                try await bench.transport.deleteAllEvents()
            }
        },

        Check("A filter matches canonically equal names, and is case-sensitive") { bench in
            let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
            try await bench.transport.append([
                Sample.event("1", client: composed, session: composed, name: composed, scenario: composed),
                Sample.event("2", client: decomposed, session: decomposed, name: decomposed, scenario: decomposed),
                Sample.event("3", client: "CAF\u{c9}", session: "CAF\u{c9}", name: "CAF\u{c9}", scenario: "CAF\u{c9}"),
            ])
            for name in [composed, decomposed] {
                for filter in [
                    TelemetryEventFilter(clientId: name), .init(sessionId: name), .init(scenarios: [name]), .init(names: [name]),
                ] {
                    try await bench.expect("\(filter)", bench.identifiers(filter), is: ["1", "2"])
                    try await bench.expect("\(filter)", bench.transport.countEvents(matching: filter), is: 2)
                }
            }
            try await bench.expect("deleted", bench.transport.deleteEvents(matching: .init(clientId: decomposed)), is: 2)
            try await bench.expect("left", bench.identifiers(), is: ["3"])
        },
    ]
}
