#if PostgreSQL
import Foundation
import Measure
import Synchronization

extension PostgreSQLSuite {
    private static let clients = 1_000
    private static let scenarios = 20
    private static let page = 500
    private static let batch = 5_000
    /// The events' time begins here, and one passes in each tenth of a millisecond.
    private static let epoch = 1_800_000_000.0
    private static let perSecond = 10_000

    /// Pages of a large store, each over a new choice of client, scenario and time.
    func pages() async throws {
        let relays = try await Relays.start(2, of: self)
        let count = max(events, Self.batch * 4) / Self.batch * Self.batch
        let start = now()
        try fill(relays.servers, with: count)
        let rate = Double(count) / (Double(now() - start) / 1e9)
        let connection = try RawConnection(port: relays.servers[0].port)
        var table = FigureTable(columns: Latencies.columns)
        var verdicts: [String] = []
        for (name, path) in Self.requests(of: count) {
            var latencies = Latencies()
            for index in -3..<(scale.quick ? 5 : 300) {
                let request = RawRequest.get(path())
                let start = now()
                try connection.send(request)
                try expect(try connection.response().status, 200)
                if index >= 0 { latencies.record(nanoseconds: now() - start) }
            }
            table.add(latencies.row(name))
            verdicts.append(RelaySuite.verdict("\(name), p99", Double(latencies.percentile(99)) / 1e6, atMost: 20, " ms"))
        }
        print("### Pages of \(Self.page) of \(count) events on PostgreSQL\n\n\(table.text())\n")
        print("- stored in batches of \(Self.batch) over two relays: \(Int(rate)) events a second")
        print(verdicts.joined(separator: "\n") + "\n")
    }

    private static func requests(of count: Int) -> [(String, () -> String)] {
        let seconds = max(1, count / perSecond)
        return [
            ("a client's events", { "/v1/events?client=client-\(Int.random(in: 0..<clients))&limit=\(page)" }),
            (
                "a scenario's events of a span",
                {
                    let since = epoch + Double(Int.random(in: 0..<seconds))
                    return "/v1/events?scenario=Scenario\(Int.random(in: 0..<scenarios))&since=\(text(since))"
                        + "&until=\(text(since + 60))&limit=\(page)"
                }
            ), ("the newest events", { "/v1/events?order=desc&limit=\(page)" }),
        ]
    }

    private static func text(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds).ISO8601Format() }

    /// Each of two connections sends every other batch.
    private func fill(_ relays: [RelayServer], with count: Int) throws {
        let next = Atomic(0)
        try inParallel(relays) { relay in
            let connection = try RawConnection(port: relay.port)
            while case let number = next.add(1, ordering: .relaxed).oldValue, number < count / Self.batch {
                try connection.send(RawRequest.bytes("POST", "/v1/events", client: nil, body: Self.body(number)))
                let response = try connection.response()
                guard response.status == 200 else {
                    throw Miscount(description: "\(response.status) \(String(decoding: response.body, as: UTF8.self))")
                }
            }
        }
    }

    private static func body(_ number: Int) -> [UInt8] {
        var text = #"{"context":{"eventName":"request","deviceType":"server","osVersion":"Debian 12"},"events":["#
        // A batch is within one second.
        let time = Self.text(epoch + Double(number * batch / perSecond))
        for index in (number * batch)..<((number + 1) * batch) {
            let client = index &* 7_919 % clients
            if index % batch != 0 { text += "," }
            text += #"{"eventId":"e\#(index)","eventTimestamp":"\#(time)","sessionId":"s\#(client)","#
            text += #""clientid":"client-\#(client)","scenario":"Scenario\#(index / 40 % scenarios)","sequence":\#(index),"#
            text += #""property1":"GET /api/v2/items/\#(index) took 00.184 seconds"}"#
        }
        return Array((text + "]}").utf8)
    }
}
#endif
