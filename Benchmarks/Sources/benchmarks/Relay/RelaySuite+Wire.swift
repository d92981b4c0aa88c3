import Measure
import Peers
import TelemetryHTTP

extension RelaySuite {
    /// The bytes of the requests, heads included.
    func wire() async throws {
        let events = SampleEvents.make(scale.size(50_000))
        let plain = Double(try PlainJSONLines().encode(events[...]).count) / Double(events.count)
        var table = FigureTable(columns: ["", "bytes an event", "× plain JSON objects"])
        table.add(["plain JSON objects", ratio(plain), "1"])
        var reached = 0.0
        for (asLines, batch) in [(false, 10), (false, 50), (false, 500), (true, 10), (true, 50), (true, 500)] {
            let requests = try await Self.requests(StoreSuite.batches(of: events, size: batch), asLines: asLines)
            let bytes = Double(requests.reduce(0) { $0 + $1.count }) / Double(events.count)
            if batch == 50, !asLines { reached = bytes / plain }
            table.add(["batches of \(batch)\(asLines ? ", lines" : "")", ratio(bytes), ratio(bytes / plain)])
        }
        print("### Bytes on the wire\n\n\(table.text())\n")
        print(Self.verdict("batches of 50 / plain JSON objects", reached, atMost: 0.35, "") + "\n")
    }
}
