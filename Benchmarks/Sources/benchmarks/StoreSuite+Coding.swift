import Foundation
import Measure
import Peers
import TelemetryModels
@_spi(Tooling) import TelemetryTransport

extension StoreSuite {
    private static let batch = 400

    /// Compares the encoding of the store's lines with Foundation's JSON, in memory.
    func encoding() -> Comparison {
        let events = SampleEvents.make(scale.size(20_000))
        let batches = Self.batches(of: events, size: Self.batch)
        return Comparison(
            "Encode, batches of \(Self.batch), per event", rounds: scale.effectiveRounds,
            contenders: [
                Contender("segment lines", operations: events.count) {
                    for batch in batches { keep(EventLines.encode(batch)) }
                },
                Contender("JSONEncoder", operations: events.count) {
                    let plain = PlainJSONLines()
                    for batch in batches { keep(try plain.encode(batch[...])) }
                },
            ], aims: [.of("segment lines", atMost: 0.1, times: "JSONEncoder")])
    }

    func decoding() throws -> Comparison {
        let events = SampleEvents.make(scale.size(20_000))
        let batches = Self.batches(of: events, size: Self.batch)
        let lines = batches.map(EventLines.encode)
        let json = try batches.map { try PlainJSONLines().encode($0[...]) }
        return Comparison(
            "Decode, batches of \(Self.batch), per event", rounds: scale.effectiveRounds,
            contenders: [
                Contender("segment lines", operations: events.count) {
                    var count = 0
                    for batch in lines { count += EventLines.decode(batch).count }
                    try expect(count, events.count)
                },
                Contender("JSONDecoder", operations: events.count) {
                    let plain = PlainJSONLines()
                    var count = 0
                    for batch in json { count += try plain.decode(batch).count }
                    try expect(count, events.count)
                },
            ], aims: [.of("segment lines", atMost: 0.15, times: "JSONDecoder")])
    }

    /// Measures the disk space of an event, including all files of the store.
    func size() async throws {
        let events = SampleEvents.make(scale.size(50_000))
        let plain = try PlainJSONLines().encode(events[...])
        let each = Double(plain.count) / Double(events.count)
        var table = FigureTable(columns: ["", "bytes an event", "× plain JSON lines"])
        table.add(["plain JSON lines", ratio(each), "1"])
        let segments = Double(EventLines.encode(events).count) / Double(events.count)
        table.add(["segment lines alone", ratio(segments), ratio(segments / each)])
        var reached = 0.0
        for batch in [10, 50, 500] {
            let scratch = try Scratch()
            let transport = try FileTelemetryTransport(directory: scratch.url)
            for batch in Self.batches(of: events, size: batch) { try await transport.append(batch) }
            let ours = Double(scratch.bytes()) / Double(events.count)
            reached = ours / each
            table.add(["file transport, batches of \(batch)", ratio(ours), ratio(reached)])
        }
        let verdict = reached <= 0.3 ? "met" : "not met"
        print(
            "### Bytes on disk\n\n\(table.text())\n\n- file transport / plain JSON lines: \(ratio(reached)), aim ≤ 0.300: \(verdict)\n"
        )
    }
}
