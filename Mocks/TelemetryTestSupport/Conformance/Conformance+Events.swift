import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let eventChecks = [
        Check("Events are read in the order in which they were appended") { bench in
            // Neither names nor times are in that order.
            let ids = ["c", "a", "e", "b", "d"]
            for (index, id) in ids.enumerated() {
                try await bench.transport.append([Sample.event(id, at: -index), Sample.event("\(id)2", at: 100 - index)])
            }
            try await bench.expect("events", bench.identifiers(), is: ids.flatMap { [$0, "\($0)2"] })
            try await bench.expect("events", bench.identifiers(pageSize: 3), is: ids.flatMap { [$0, "\($0)2"] })
        },

        Check("An event is read back with all its fields") { bench in
            let text = "\u{0}\n\r\t\"\\/ {}[],: déjà 👩‍👩‍👧 \u{2028}\u{feff}\u{10ffff}"
            let date = TelemetryFixtures.date.addingTimeInterval(0.123)
            let full = TelemetryEvent(
                eventId: "full \(text)", clientId: "client \(text)", sessionId: "session \(text)", sequence: UInt64(Int64.max),
                name: "name \(text)", timestamp: date, device: TelemetryFixtures.device, threadId: "thread \(text)",
                property1: text,
                attributes: [
                    "text": .string(text), "empty": "", "whole": .int(.min), "flag": true, "one": 1, "date": .date(date),
                    "fraction": 0.1, "double": .double(2), "huge": .double(1e300), "key \(text)": .bool(false),
                ], scenario: "scenario \(text)", level: .diagnostic)
            let bare = TelemetryEvent(
                eventId: "bare", sessionId: "", name: "", timestamp: TelemetryFixtures.date,
                device: TelemetryDeviceInfo(deviceType: "", deviceName: "", deviceModel: "", osVersion: "", appVersion: ""),
                threadId: "", property1: "", scenario: "")
            try await bench.transport.append([full, bare])
            let events = try await bench.readAll().events
            try bench.expect("how many events", events.count, is: 2)
            try bench.expect("the event with every field", events[0], is: full)
            try bench.expect("the event with empty fields", events[1], is: bare)
        },

        Check("An empty append changes nothing") { bench in
            try await bench.transport.append([])
            try await bench.expect("count", bench.transport.countEvents(), is: 0)
            try await bench.expect("events", bench.identifiers(), is: [])
        },

        Check("Events with the same identifier are one event, the first") { bench in
            let first = Sample.event("a", name: "first")
            try await bench.transport.append([first, Sample.event("b"), Sample.event("a", name: "in the same batch")])
            try await bench.transport.append([Sample.event("a", name: "in a later batch"), Sample.event("c")])
            try await bench.transport.append([first])
            let events = try await bench.readAll().events
            try bench.expect("events", events.map(\.eventId), is: ["a", "b", "c"])
            try bench.expect("the event", events[0], is: first)
            try await bench.expect("count", bench.transport.countEvents(), is: 3)
        },

        .acrossConnections("Events with the same identifier over two connections are one event") { bench, other in
            try await bench.transport.append(Sample.events(1...3))
            try await other.append(Sample.events(2...5))
            try await bench.transport.append(Sample.events(4...6))
            for connection in [bench.transport, other] {
                let ids = try await bench.identifiers(on: connection)
                try bench.expect("events", ids.sorted(), is: (1...6).map { "e\($0)" })
            }
        },

        .acrossConnections("Appended events can be read over another connection at once, in the same order") { bench, other in
            for index in 0..<20 {
                try await (index % 2 == 0 ? bench.transport : other).append([Sample.event("e\(index)")])
                let expected = (0...index).map { "e\($0)" }
                try await bench.expect("events of the first", bench.identifiers(), is: expected)
                try await bench.expect("events of the second", bench.identifiers(on: other), is: expected)
            }
        },

        Check("A client identifier that is empty or longer than 1,024 bytes is refused") { bench in
            for clientId in ["", String(repeating: "x", count: 1_025), String(repeating: "é", count: 513)] {
                try await bench.expectError(.invalidArgument, "an identifier of \(clientId.utf8.count) bytes") {
                    try await bench.transport.append([Sample.event("bad", client: clientId)])
                }
            }
            try await bench.expect("events", bench.identifiers(), is: [])
            let longest = String(repeating: "é", count: 512)
            try await bench.transport.append([Sample.event("good", client: longest), Sample.event("none", client: nil)])
            try await bench.expect("events", bench.identifiers(), is: ["good", "none"])
            try await bench.expect("the longest one's", bench.identifiers(.init(clientId: longest)), is: ["good"])
        },

        Check("Deleting events removes exactly those that match, and returns their number") { bench in
            try await bench.transport.append(Sample.events(1...3, client: "a", prefix: "a"))
            try await bench.transport.append(Sample.events(1...2, client: "ab", prefix: "b"))
            try await bench.transport.append(Sample.events(1...2, client: nil, prefix: "n"))
            try await bench.expect("deleted", bench.transport.deleteEvents(matching: .init(clientId: "a")), is: 3)
            try await bench.expect("deleted again", bench.transport.deleteEvents(matching: .init(clientId: "a")), is: 0)
            try await bench.expect("left", bench.identifiers(), is: ["b1", "b2", "n1", "n2"])
            try await bench.expect("deleted by operation", bench.transport.deleteEvents(forClient: "ab"), is: 2)
            try await bench.expect("left", bench.identifiers(), is: ["n1", "n2"])
            try await bench.expect("all deleted", bench.transport.deleteAllEvents(), is: 2)
            try await bench.expect("count", bench.transport.countEvents(), is: 0)
            try await bench.transport.append([Sample.event("after")])
            try await bench.expect("events", bench.identifiers(), is: ["after"])
        },

        .acrossConnections("Deleted events cannot be read over another connection") { bench, other in
            try await bench.transport.append(Sample.events(1...4, client: "a"))
            try await bench.transport.append([Sample.event("kept", client: "b")])
            try await bench.expect("seen", bench.identifiers(on: other).count, is: 5)
            try await bench.expect("deleted", other.deleteEvents(matching: .init(clientId: "a")), is: 4)
            try await bench.transport.append([Sample.event("later", client: "a")])
            for connection in [bench.transport, other] {
                try await bench.expect("left", bench.identifiers(on: connection), is: ["kept", "later"])
                try await bench.expect("count", connection.countEvents(), is: 2)
            }
        },
    ]
}
