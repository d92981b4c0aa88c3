import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    /// Two sessions with events of several scenarios, levels and hours, not in the order of their times.
    private static let history = (0..<60).map { place in
        Sample.event(
            "\(place)", client: place.isMultiple(of: 3) ? "a" : "b", session: place < 30 ? "s" : "t", name: "n\(place % 4)",
            at: place * 200 - (place == 40 ? 9_000 : 0), scenario: place.isMultiple(of: 5) ? nil : "Net",
            level: place.isMultiple(of: 7) ? .diagnostic : .info)
    }

    private static let historyFilters: [TelemetryEventFilter] = [
        .all, .init(clientId: "a"), .init(sessionId: "t"), .init(scenarios: ["Net"]), .init(levels: [.diagnostic]),
        .init(names: ["n1"]), .init(since: history[25].timestamp), .init(until: history[25].timestamp),
        .init(clientId: "b", scenarios: ["Net"], since: history[10].timestamp, until: history[50].timestamp),
        .init(clientId: "nobody"),
    ]

    static let historyChecks = [
        Check("The newest events are the last ones of those read forwards") { bench in
            for start in stride(from: 0, to: 60, by: 10) { try await bench.transport.append(Array(history[start..<start + 10])) }
            for filter in historyFilters {
                let all = try await bench.identifiers(filter)
                for limit in [1, 7, 30, 100] {
                    let page = try await bench.transport.newestEvents(matching: filter, limit: limit)
                    try bench.expect("newest \(limit)", page.events.map(\.eventId), is: all.suffix(limit))
                    if let start = page.start {
                        let rest = try await bench.transport.events(matching: filter, after: start, limit: 100)
                        try bench.expect("after the start", rest.events.map(\.eventId), is: all.suffix(limit))
                    }
                    let rest = try await bench.transport.events(matching: .all, after: page.end, limit: 100)
                    try bench.expect("after the end", rest.events.map(\.eventId), is: [])
                }
            }
        },

        Check("Pages that are read backwards contain every event once") { bench in
            let transport = bench.transport
            for start in stride(from: 0, to: 60, by: 10) { try await transport.append(Array(history[start..<start + 10])) }
            for filter in historyFilters {
                for limit in [1, 7, 100] {
                    var found: [String] = []
                    var cursor: TelemetryCursor?
                    while true {
                        let page = try await transport.events(matching: filter, before: cursor, limit: limit)
                        found = page.events.map(\.eventId) + found
                        cursor = page.start
                        guard page.hasMore else { break }
                    }
                    try await bench.expect("pages of \(limit)", found, is: bench.identifiers(filter))
                }
            }
        },

        Check("A page before a cursor of a page forwards has the events of that page") { bench in
            for start in stride(from: 0, to: 60, by: 10) { try await bench.transport.append(Array(history[start..<start + 10])) }
            for filter in historyFilters {
                let first = try await bench.transport.events(matching: filter, after: nil, limit: 8)
                let page = try await bench.transport.events(matching: filter, before: first.cursor, limit: 100)
                try bench.expect("before the cursor", page.events.map(\.eventId), is: first.events.map(\.eventId))
                let count = try await bench.transport.summarizedCount(matching: filter)
                try bench.expect("summarized count", count, is: history.count(where: filter.matches))
            }
        },

        Check("Counts by session, scenario, level and hour agree with the events") { bench in
            for start in stride(from: 0, to: 60, by: 10) { try await bench.transport.append(Array(history[start..<start + 10])) }
            for filter in historyFilters {
                let wanted = history.filter(filter.matches)
                let counts = try await bench.transport.eventCounts(matching: filter)
                try bench.expect("sum", counts.reduce(0) { $0 + $1.count }, is: wanted.count)
                for count in counts {
                    let own = wanted.filter { event in
                        event.clientId == count.clientId && event.sessionId == count.sessionId
                            && event.scenario == count.scenario && event.level == count.level
                            && event.timestamp >= count.hour && event.timestamp < count.hour + 3_600
                    }
                    try bench.expect("count", count.count, is: own.count)
                    try bench.expect("first", count.first, is: own.map(\.timestamp).min())
                    try bench.expect("last", count.last, is: own.map(\.timestamp).max())
                    try bench.expect("lowest", count.lowestSequence, is: own.map(\.sequence).min())
                    try bench.expect("highest", count.highestSequence, is: own.map(\.sequence).max())
                    try bench.expect("device", count.device, is: own.first?.device)
                }
            }
        },
    ]
}
