import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let cursorChecks = [
        Check("Pages return every event once") { bench in
            try await bench.transport.append(Sample.events(1...25))
            for pageSize in [1, 7, 24, 25, 26, 1_000] {
                let ids = try await bench.identifiers(pageSize: pageSize)
                try bench.expect("in pages of \(pageSize)", ids, is: (1...25).map { "e\($0)" })
            }
            let page = try await bench.transport.fetchEvents(limit: 10)
            try bench.expect("a page that is not the last has more", page.hasMore, is: true)
        },

        Check("Reading after the last page returns exactly the events appended since") { bench in
            var cursor = try await bench.readAll().cursor
            try await bench.expect("in an empty store", bench.identifiers(after: cursor), is: [])
            for round in 0..<5 {
                let ids = ["\(round)a", "\(round)b", "\(round)c"]
                try await bench.transport.append(ids.map { Sample.event($0) })
                let (events, next) = try await bench.readAll(after: cursor, pageSize: 2)
                try bench.expect("in round \(round)", events.map(\.eventId), is: ids)
                try await bench.expect("again in round \(round)", bench.identifiers(after: cursor), is: ids)
                try await bench.expect("nothing since", bench.identifiers(after: next), is: [])
                cursor = next
            }
        },

        Check("A cursor can be stored as text") { bench in
            try await bench.transport.append(Sample.events(1...4))
            let page = try await bench.transport.events(matching: .all, after: nil, limit: 2)
            let kept = TelemetryCursor(rawValue: page.cursor.rawValue)
            try await bench.expect("after it", bench.identifiers(after: kept), is: ["e3", "e4"])
        },

        Check("A cursor can be used with another filter") { bench in
            for index in 1...6 {
                try await bench.transport.append([Sample.event("e\(index)", client: index % 2 == 0 ? "even" : "odd")])
            }
            let even = try await bench.transport.events(matching: .init(clientId: "even"), after: nil, limit: 2)
            try bench.expect("of the first filter", even.events.map(\.eventId), is: ["e2", "e4"])
            try await bench.expect(
                "odd ones after it", bench.identifiers(.init(clientId: "odd"), after: even.cursor), is: ["e5"])
            try await bench.expect("all after it", bench.identifiers(after: even.cursor), is: ["e5", "e6"])
        },

        Check("A filtered page skips any number of events that do not match") { bench in
            try await bench.transport.append(Sample.events(1...300, client: "noise"))
            try await bench.transport.append([Sample.event("signal", client: "quiet")])
            try await bench.transport.append(Sample.events(301...600, client: "noise"))
            let filter = TelemetryEventFilter(clientId: "quiet")
            let (events, cursor) = try await bench.readAll(filter, pageSize: 10)
            try bench.expect("events", events.map(\.eventId), is: ["signal"])
            try await bench.transport.append([Sample.event("later", client: "quiet")])
            try await bench.expect("since", bench.identifiers(filter, after: cursor), is: ["later"])
        },

        Check("A cursor stays valid when events before, at and after it are deleted") { bench in
            try await bench.transport.append((1...9).map { Sample.event("e\($0)", name: "n\($0)") })
            let cursor = try await bench.transport.events(matching: .all, after: nil, limit: 5).cursor
            try await bench.transport.deleteEvents(matching: .init(names: ["n1", "n2"]))
            try await bench.expect("after a deletion before it", bench.identifiers(after: cursor), is: ["e6", "e7", "e8", "e9"])
            try await bench.transport.deleteEvents(matching: .init(names: ["n5", "n6"]))
            try await bench.expect("after a deletion around it", bench.identifiers(after: cursor), is: ["e7", "e8", "e9"])
            try await bench.transport.append([Sample.event("e10")])
            try await bench.expect("and an append", bench.identifiers(after: cursor), is: ["e7", "e8", "e9", "e10"])
        },

        Check("A cursor stays valid when the store is emptied") { bench in
            try await bench.transport.append(Sample.events(1...5))
            let (middle, end) = (
                try await bench.transport.events(matching: .all, after: nil, limit: 2).cursor,
                try await bench.readAll().cursor
            )
            try await bench.transport.deleteAllEvents()
            for cursor in [middle, end] { try await bench.expect("at once", bench.identifiers(after: cursor), is: []) }
            try await bench.transport.append(Sample.events(6...8))
            for cursor in [middle, end] {
                try await bench.expect("what came since", bench.identifiers(after: cursor), is: ["e6", "e7", "e8"])
            }
        },

        .acrossConnections("A cursor is valid on another connection") { bench, other in
            try await bench.transport.append(Sample.events(1...3))
            let cursor = try await bench.transport.events(matching: .all, after: nil, limit: 2).cursor
            try await bench.expect("there", bench.identifiers(after: cursor, on: other), is: ["e3"])
            try await other.append(Sample.events(4...5))
            try await bench.expect("there", bench.identifiers(after: cursor, on: other), is: ["e3", "e4", "e5"])
            let later = try await bench.secondConnection()
            try await bench.expect("on a third", bench.identifiers(after: cursor, on: later), is: ["e3", "e4", "e5"])
        },

        Check("A limit below 1 is refused") { bench in
            try await bench.transport.append(Sample.events(1...2))
            for limit in [0, -1, .min] {
                try await bench.expectError(.invalidArgument, "limit \(limit)") {
                    _ = try await bench.transport.events(matching: .all, after: nil, limit: limit)
                }
            }
            try await bench.expect(
                "the largest limit", bench.transport.events(matching: .all, after: nil, limit: .max).events.count, is: 2)
        },

        Check("A text that is not a cursor of this store is refused") { bench in
            try await bench.transport.append(Sample.events(1...2))
            for text in ["", "no cursor ☃", "-1", String(repeating: "9", count: 100)] {
                try await bench.expectError(.invalidArgument, "cursor \"\(text)\"") {
                    _ = try await bench.transport.events(matching: .all, after: TelemetryCursor(rawValue: text), limit: 1)
                }
            }
        },
    ]
}
