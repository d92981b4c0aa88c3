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
        for batch in [10, 50, 500] {
            let sink = try RequestSink()
            let transport = await sink.host("hx4mkqzw2v")
            for batch in StoreSuite.batches(of: events, size: batch) { try await transport.append(batch) }
            let bytes = Double(sink.requests.reduce(0) { $0 + $1.count }) / Double(events.count)
            if batch == 50 { reached = bytes / plain }
            table.add(["batches of \(batch)", ratio(bytes), ratio(bytes / plain)])
        }
        print("### Bytes on the wire\n\n\(table.text())\n")
        print(Self.verdict("batches of 50 / plain JSON objects", reached, atMost: 0.35, "") + "\n")
    }
}
